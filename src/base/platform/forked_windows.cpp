// Windows has no fork().
#include "base/forked.hpp"

namespace clgemm {

void claim_process() {}

bool is_forked_child() noexcept {
  return false;
}

}  // namespace clgemm
