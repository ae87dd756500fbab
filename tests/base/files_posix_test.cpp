// The modes and owners of our own files. Files are written with the right ones, and files with other ones are
// not read.
#include "base/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/folder_content.hpp"
#include "support/catch.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::files_in;
using test::TemporaryFolder;

class ScopedUmask {
 public:
  explicit ScopedUmask(mode_t mask) : before_(::umask(mask)) {}
  ~ScopedUmask() { ::umask(before_); }
  ScopedUmask(const ScopedUmask&) = delete;
  ScopedUmask& operator=(const ScopedUmask&) = delete;

 private:
  mode_t before_;
};

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

constexpr ReadRules mine{Owner::this_user, Links::refuse, 1000};

TEST_CASE(
    "only its owner can write to a user's file with any umask, and wider rights of an old file are removed") {
  for (const auto& [mask, mode] :
       {std::pair<mode_t, mode_t>{0002, 0644}, {0022, 0644}, {0077, 0600}, {0, 0644}}) {
    const ScopedUmask scoped(mask);
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "tuning.json";
    REQUIRE_FALSE(replace_file(file, "first"));
    CHECK(mode_of(file) == mode);
    CHECK(content_of(file) == "first");
    fs::permissions(file, fs::perms(0664));
    REQUIRE_FALSE(replace_file(file, "second"));
    CHECK(mode_of(file) == 0644);
    CHECK(content_of(file) == "second");
    fs::permissions(file, fs::perms(0600));
    REQUIRE_FALSE(replace_file(file, "third"));
    CHECK(mode_of(file) == 0600);
    CHECK(files_in(folder.path()) == 1);
  }
}

TEST_CASE("files that others may write to are not read") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "text");
  CHECK(read_file(file, mine).bytes == "text");
  fs::permissions(file, fs::perms(0664));
  CHECK(read_file(file, mine).problem == "its group may write to it; chmod go-w");
  fs::permissions(file, fs::perms(0646));
  CHECK(read_file(file, mine).problem == "all others may write to it; chmod go-w");
  CHECK(read_file(file, {Owner::anyone, Links::refuse, 1000}).bytes == "text");
}

TEST_CASE("only its user can read or write a private folder and its files") {
  const ScopedUmask scoped(0002);
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "above" / "cache";
  CHECK_FALSE(PrivateFolder::open(path));
  const PrivateFolder made = PrivateFolder::make(path);
  REQUIRE(made);
  CHECK(mode_of(path) == 0700);
  REQUIRE_FALSE(made.write("file", "text"));
  CHECK(mode_of(path / "file") == 0600);
  CHECK(made.read("file", 100).bytes == "text");
  fs::permissions(path, fs::perms(0770));
  CHECK(PrivateFolder::open(path).problem() == "its group may write to it; chmod go-w");
  fs::permissions(path, fs::perms(0700));
  fs::create_directory_symlink(path, folder.path() / "link");
  CHECK(PrivateFolder::open(folder.path() / "link").problem() == "it is a link, or it is not a folder");
}

TEST_CASE("files of other users are not read, except for root's files if this is allowed") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "text");
  if (::geteuid() != 0) {
    WARN("NOT TESTED: only root can give files away");
    return;
  }
  constexpr uid_t nobody = 65534;
  REQUIRE(::chown(file.c_str(), nobody, nobody) == 0);
  CHECK(read_file(file, mine).problem == "it belongs to user 65534, not to this user");
  CHECK(read_file(file, {Owner::this_user_or_root, Links::follow, 100}).problem ==
        "it belongs to user 65534, not to this user or root");
  REQUIRE(::chown(file.c_str(), 0, 0) == 0);
  fs::permissions(folder.path(), fs::perms(0755));
  REQUIRE(::seteuid(nobody) == 0);
  const FileContent of_root = read_file(file, {Owner::this_user_or_root, Links::follow, 100});
  const FileContent of_stranger = read_file(file, mine);
  REQUIRE(::seteuid(0) == 0);
  CHECK(of_root.bytes == "text");
  CHECK(of_stranger.problem == "it belongs to user 0, not to this user");
}

TEST_CASE("the system's error text says why a file is not read") {
  const TemporaryFolder folder;
  CHECK(read_file(folder.path() / "none", mine).problem == "No such file or directory");
  CHECK(read_file("/dev/zero", {Owner::anyone, Links::follow, 1000}).problem == "it is not a regular file");
}

}  // namespace
}  // namespace clgemm
