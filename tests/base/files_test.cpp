// Our own files are written completely, and read only if they can be trusted.
#include "base/files.hpp"

#include <chrono>
#include <fstream>
#include <sstream>

#include "base/folder_content.hpp"
#include "support/catch.hpp"
#include "support/system.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::files_in;
using test::TemporaryFolder;

constexpr ReadRules mine{Owner::this_user, Links::refuse, 1000};

TEST_CASE("a file that is created is new") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "new";
  CHECK_FALSE(create_file(file, "text"));
  CHECK(create_file(file, "other") == std::errc::file_exists);
  CHECK(content_of(file) == "text");
  const fs::path link = folder.path() / "link";
  if (!test::make_link(folder.path() / "nowhere", link)) {
    WARN("NOT TESTED: links, which this user cannot make here");
    return;
  }
  CHECK(create_file(link, "other") == std::errc::file_exists);
  CHECK_FALSE(fs::exists(folder.path() / "nowhere"));
}

TEST_CASE("a written file replaces a link, not the target of the link") {
  const TemporaryFolder folder;
  const fs::path victim = folder.write("victim", "precious");
  const fs::path link = folder.path() / "link";
  if (!test::make_link(victim, link)) {
    WARN("NOT TESTED: links, which this user cannot make here");
    return;
  }
  CHECK_FALSE(replace_file(link, "text"));
  CHECK(content_of(victim) == "precious");
  CHECK(content_of(link) == "text");
  CHECK_FALSE(fs::is_symlink(link));
}

TEST_CASE("if a file cannot be written, the reason is given and nothing is left behind") {
  const TemporaryFolder folder;
  CHECK(replace_file(folder.path() / "no" / "folder", "text") == std::errc::no_such_file_or_directory);
  fs::create_directory(folder.path() / "taken");
  CHECK(replace_file(folder.path() / "taken", "text"));
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("links, pipes, folders, large files and missing files are not read, and nothing blocks") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "text");
  const bool has_link = test::make_link(file, folder.path() / "link");
  const bool has_pipe = test::make_pipe_file(folder.path() / "pipe");
  const auto begin = std::chrono::steady_clock::now();
  if (has_link) {
    CHECK(read_file(folder.path() / "link", mine).problem.find("symbolic link") != std::string::npos);
    CHECK(read_file(folder.path() / "link", {Owner::this_user, Links::follow, 1000}).bytes == "text");
  }
  if (has_pipe) CHECK(read_file(folder.path() / "pipe", mine).problem == "it is not a regular file");
  CHECK(read_file(folder.path(), mine).problem == "it is not a regular file");
  for (const std::string& device : test::endless_files())
    CHECK_FALSE(read_file(device, {Owner::anyone, Links::follow, 1000}));
  CHECK_FALSE(read_file(folder.path() / "none", mine).problem.empty());
  CHECK(read_file(file, {Owner::this_user, Links::refuse, 3}).problem == "it has more than 3 bytes");
  CHECK(read_file(file, {Owner::this_user, Links::refuse, 4}).bytes == "text");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("a file that others may write to is not read, nor a file in such a folder") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "text");
  CHECK(read_file(file, mine).problem == "");
  CHECK(read_file(file, {Owner::this_user_or_root, Links::follow, 1000}).bytes == "text");
  REQUIRE(test::let_write(test::Others::everybody, file));
  CHECK(read_file(file, mine).problem.find("may write to it") != std::string::npos);
  CHECK(read_file(file, {Owner::anyone, Links::refuse, 1000}).bytes == "text");
  const fs::path path = folder.path() / "above" / "cache";
  CHECK_FALSE(PrivateFolder::open(path));
  const PrivateFolder made = PrivateFolder::make(path);
  CHECK(made.problem() == "");
  CHECK_FALSE(made.write("file", "text"));
  CHECK(made.read("file", 100).bytes == "text");
  CHECK_FALSE(made.write("file", "other"));
  CHECK(made.read("file", 100).bytes == "other");
  REQUIRE(test::let_write(test::Others::everybody, path));
  CHECK(PrivateFolder::open(path).problem().find("may write to it") != std::string::npos);
}

}  // namespace
}  // namespace clgemm
