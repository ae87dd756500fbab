// The cache on disk: the modes of its files, and several processes that use it.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/user_folders.hpp"
#include "cached_files.hpp"
#include "support/catch.hpp"

namespace clgemm {
namespace {

using namespace test;

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & mode_t{07777};
}

TEST_CASE("a folder that is not writable costs only a build") {
  const Cache cache;
  cache.store("key");
  if (::geteuid() == 0) {
    WARN("NOT TESTED: a folder without write permission, because root may write everywhere");
    return;
  }
  REQUIRE(::chmod(cache.folder.c_str(), 0500) == 0);
  cache.store("new");
  CHECK(cache.has("key"));
  CHECK_FALSE(cache.has("new"));
  REQUIRE(::chmod(cache.folder.c_str(), 0700) == 0);
}

TEST_CASE("by default, kept files are in ~/.cache and ~/.config") {
  const ScopedVariable home("HOME", "/home/anna");
  CHECK(home_of_caches() == "/home/anna/.cache");
  CHECK(home_of_settings() == "/home/anna/.config");
}

TEST_CASE("missing parent folders are made, and only the owner can read the folder and its files") {
  const TemporaryFolder parent;
  const fs::path folder = parent.path() / "some" / "where" / "cache";
  const mode_t before = ::umask(0);
  const DiskCache disk(folder, large_limit);
  disk.store("key", {Trust::tested, Bytes(10)});
  ::umask(before);
  CHECK(disk.load("key"));
  CHECK(mode_of(folder) == 0700);
  CHECK(mode_of(folder.parent_path()) == 0700);
  REQUIRE(files_in(folder).size() == 1);
  CHECK(mode_of(files_in(folder)[0]) == 0600);
}

TEST_CASE("16 processes that store and load at once see whole entries, and leave no temporary files") {
  const TemporaryFolder parent;
  const fs::path folder = parent.path() / "made" / "by" / "all";
  std::vector<pid_t> children;
  for (unsigned user = 0; user < users; ++user) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(store_and_load(folder, user, 50));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  const auto files = files_in(folder);
  CHECK(files.size() == keys);
  for (const fs::path& file : files) CHECK(file.extension() == ".clbin");
  CHECK(DiskCache(folder, large_limit).info().entries == keys);
}

}  // namespace
}  // namespace clgemm
