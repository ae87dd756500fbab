// A process with the rights of another user than the one who started it ignores file names from that user's
// environment.
#include <unistd.h>

#include "base/environment.hpp"
#include "build/disk_cache.hpp"
#include "kernel/kernel_file.hpp"
#include "support/catch.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

// Changes the group within a scope, which only root may do.
struct ForeignGroup {
  static constexpr gid_t nobody = 65534;
  const gid_t own = ::getegid();
  const bool is_foreign = ::setegid(nobody) == 0;
  ForeignGroup() = default;
  ~ForeignGroup() {
    if (is_foreign) REQUIRE(::setegid(own) == 0);
  }
  ForeignGroup(const ForeignGroup&) = delete;
  ForeignGroup& operator=(const ForeignGroup&) = delete;
};

TEST_CASE("a setuid process ignores kernels and caches that the environment names") {
  const test::TemporaryFolder folder;
  const test::ScopedVariable kernels("CLGEMM_KERNEL_DIR", folder.path());
  const test::ScopedVariable cache("CLGEMM_CACHE_DIR", folder.path());
  const test::ScopedVariable cache_on("CLGEMM_CACHE", nullptr);
  CHECK_FALSE(runs_with_foreign_rights());
  CHECK(kernel_folder_or_default({}) == folder.path().string());
  CHECK(DiskCache::from_environment().is_on());
  const ForeignGroup foreign;
  if (!foreign.is_foreign) {
    WARN("NOT TESTED: only root can take another group");
    return;
  }
  CHECK(runs_with_foreign_rights());
  CHECK(kernel_folder_or_default({}).empty());
  CHECK(kernel_folder_or_default("named") == "named");  // named by the program itself
  CHECK_FALSE(DiskCache::from_environment().is_on());
}

}  // namespace
}  // namespace clgemm
