// The destination of the tuner's output: files, links, pipes, devices, folders.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>

#include "choose/tuning_json.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"
#include "tune/actions/tuning_output.hpp"

namespace clgemm::tune {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::text_of_file;

TuningFile some_file() {
  return read_file(CLGEMM_KERNELS "/tuned/nvidia_h200.json");
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator{}));
}

// Returns the error if the file cannot be written, or an empty text if it can.
std::string refusal(const fs::path& path) {
  try {
    write_output(path, some_file());
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST_CASE("a link stays a link, and its target is written, whether it exists or not") {
  const TemporaryFolder folder;
  const fs::path& here = folder.path();
  const std::string text = write_tuning(some_file());
  fs::create_directories(here / "far" / "away");
  const std::string old = folder.write("far/old.json", "old");
  fs::create_symlink("far/old.json", here / "one.json");
  fs::create_symlink(here / "one.json", here / "two.json");
  fs::create_symlink("far/away", here / "folder");
  fs::create_symlink("../new.json", here / "far" / "away" / "three.json");  // a missing target
  CHECK(refusal(here / "two.json").empty());
  CHECK(refusal(here / "folder" / "three.json").empty());
  CHECK(fs::is_symlink(here / "one.json"));
  CHECK(fs::is_symlink(here / "two.json"));
  CHECK(fs::is_symlink(here / "far" / "away" / "three.json"));
  CHECK(text_of_file(old) == text);
  CHECK(text_of_file((here / "far" / "new.json").string()) == text);
  fs::create_symlink("b", here / "a");
  fs::create_symlink("a", here / "b");
  CHECK(test::contains(refusal(here / "a"), "symbolic links"));
  CHECK(files_in(here) == 10);  // and no *.new
}

TEST_CASE("a pipe is written to and stays; a full device stays, and its error is reported") {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  TuningFile small = some_file();
  small.configs.clear();  // a pipe holds 64 KiB
  small.measured.clear();
  write_output(pipe, small);
  std::string text(65536, '\0');
  const ssize_t count = read(reader, text.data(), text.size());
  close(reader);
  CHECK(count > 0);
  CHECK(text.substr(0, static_cast<std::size_t>(count)) == write_tuning(small));
  CHECK(fs::is_fifo(pipe));

  // A full device that the test makes. As root, a mistake in the code under test would replace the machine's
  // device.
  const fs::path full = folder.path() / "full";
  if (mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) {
    WARN("NOT TESTED: a device that takes nothing, which only root can make");
  } else {
    CHECK(test::contains(refusal(full), "cannot write '" + full.string()));
    CHECK(fs::is_character_file(full));
  }
  CHECK(files_in(folder.path()) <= 2);  // and no *.new
}

TEST_CASE("if the file cannot be written, nothing is left behind and the old file stays") {
  const TemporaryFolder folder;
  CHECK(test::contains(refusal(folder.path()), "Is a directory"));
  CHECK_FALSE(fs::exists(folder.path().string() + ".new"));

  const std::string path = folder.write("out.json", "old");
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string said = refusal(path);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  CHECK(test::contains(said, "cannot write '" + path + "': File too large"));
  CHECK(text_of_file(path) == "old");
  CHECK(files_in(folder.path()) == 1);
}

}  // namespace
}  // namespace clgemm::tune
