#include "common/say.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/printable.hpp"

namespace clgemm::bench {

void say(std::string_view program, const std::string& text) {
  fmt::print(stderr, "{}: {}\n", program, printable_lines(text));
}

}  // namespace clgemm::bench
