// clgemm-bench writes to the file of --output or to standard output, and reports an error if it cannot write
// everything. Also checks which options exclude each other.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"

using clgemm::test::Finished;
using clgemm::test::TemporaryFolder;
using clgemm::test::text_of_file;

namespace fs = std::filesystem;

namespace {

constexpr const char* quick = "--kernel naive --size 8 --runs 1 --warmup 0 --peer none ";

// `before` goes before the program, for example variables.
Finished bench(const std::string& arguments, const std::string& before = "") {
  return clgemm::test::run_program(fmt::format("{} '{}' {}", before, CLGEMM_BENCH_PROGRAM, arguments));
}

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a run that fails leaves the file of --output unchanged, and leaves no other file") {
  const TemporaryFolder folder;
  const std::string old = folder.write("old.json", "old");
  const std::string missing = (folder.path() / "new.json").string();
  for (const std::string& file : {old, missing}) {
    for (const char* failing : {"--kernel tiled --param TS=17", "--size 200000 --peer none"}) {
      const Finished finished = bench(fmt::format("{} -f json -o '{}'", failing, file));
      INFO(failing << ": " << finished.err);
      CHECK(finished.status != 0);
      CHECK(text_of_file(old) == "old");
      CHECK(files_in(folder) == 1);
    }
  }
  const std::string endless = "--size 17 --peer none --runs 200000 --warmup 0 --max-seconds 60 -f json";
  const Finished killed = bench(fmt::format("{} -o '{}'", endless, old), "timeout --signal KILL 3");
  CHECK(killed.status != 0);
  CHECK(text_of_file(old) == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("Ctrl-C writes the results so far to the file of --output") {
  const TemporaryFolder folder;
  const std::string file = folder.write("old.json", "old");
  const Finished finished =
      bench(fmt::format("--size 17 --size 18 --peer none --no-baseline --runs 1000000 --warmup 0 "
                        "--max-seconds 3 -f json -o '{}'",
                        file),
            "timeout --preserve-status --kill-after 30 --signal INT 5");
  INFO(finished.err);
  CHECK(finished.status == 130);
  CHECK(has(text_of_file(file), "\"median_ms\""));
}

TEST_CASE("--output replaces a file and keeps its rights, also through a link") {
  const TemporaryFolder folder;
  const std::string file = folder.write("below/old.csv", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const fs::path link = folder.path() / "link";
  fs::create_symlink("below/old.csv", link);
  CHECK(bench(fmt::format("{} -f csv -o '{}'", quick, link.string())).status == 0);
  CHECK(fs::is_symlink(link));
  CHECK(has(text_of_file(file), "naive"));
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));

  const fs::path dangling = folder.path() / "dangling";
  fs::create_symlink("below/none.csv", dangling);
  CHECK(bench(fmt::format("--list-kernels -o '{}'", dangling.string())).status == 0);
  CHECK(has(text_of_file((folder.path() / "below/none.csv").string()), "naive"));
  CHECK(std::distance(fs::directory_iterator(folder.path() / "below"), {}) == 2);  // nothing ends in .new
  CHECK(bench(fmt::format("--list-kernels -o '{}'", folder.path().string())).status == 2);
}

TEST_CASE("--output need not be a regular file") {
  const TemporaryFolder folder;
  const Finished piped = bench("--list-kernels -o /dev/stdout | cat");
  CHECK(piped.status == 0);
  CHECK(has(piped.out, "naive"));
  for (const char* writing : {"--list-kernels", quick}) {
    const Finished full = bench(fmt::format("{} -o /dev/full", writing));
    INFO(writing << ": " << full.err);
    CHECK(full.status == 1);
    CHECK(has(full.err, "/dev/full"));
  }
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("actions that do not measure also write to the file of --output") {
  const TemporaryFolder folder;
  const std::string json = (folder.path() / "results.json").string();
  REQUIRE(bench(fmt::format("{} -f json -o '{}'", quick, json)).status == 0);
  for (const std::string& action :
       {std::string("--explain --size 8"), std::string("--list-devices"), std::string("--list-kernels"),
        std::string("--accuracy --size 8 --kernel naive --peer none"), std::string("--show-kernel naive"),
        std::string("--cache info"), fmt::format("--compare '{0}' '{0}'", json),
        fmt::format("--markdown '{}'", json)}) {
    const std::string file = (folder.path() / "text").string();
    const Finished finished = bench(fmt::format("-o '{}' {}", file, action));
    INFO(action << ": " << finished.err << finished.out);
    CHECK(finished.status == 0);
    CHECK(finished.out.empty());
    CHECK(text_of_file(file).size() > 20);
    fs::remove(file);

    const Finished refused = bench(fmt::format("-f csv -o '{}' {}", file, action));
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "--format: csv"));
    CHECK_FALSE(fs::exists(file));
  }
}

TEST_CASE("actions that print no text refuse --output") {
  for (const char* action :
       {"--watch --watch-rounds 1 --kernel a.cl", "--new-kernel /nosuch/a.cl", "--report x --from a"}) {
    const Finished refused = bench(fmt::format("-o /dev/null {}", action));
    INFO(action << ": " << refused.err);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "--output has no effect"));
  }
}

TEST_CASE("it is an error if standard output cannot be written") {
  for (const char* printing :
       {"--explain --size 8", "--list-kernels", "--show-kernel naive", "--help", "--version", quick}) {
    const Finished full = clgemm::test::run_program(
        fmt::format("sh -c \"'{}' {} > /dev/full\"", CLGEMM_BENCH_PROGRAM, printing));
    INFO(printing << ": " << full.err);
    CHECK(full.status == 1);
    CHECK(has(full.err, "clgemm-bench: error: standard output: "));
  }
}

TEST_CASE("options that would have no effect are refused") {
  for (const char* ignored : {"--transpose-a", "--transpose-b", "--layout row", "--gap 1"}) {
    const Finished refused = bench(fmt::format("--explain --random 1 --varied {}", ignored));
    INFO(ignored << ": " << refused.err);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "--varied"));
  }
  CHECK(bench("--explain --random 1 --gap 1").status == 0);
  const Finished two = bench("--list-devices --report x --size 8");
  CHECK(two.status == 2);
  CHECK(has(two.err, "--list-devices and --report cannot be used together"));
  CHECK_FALSE(fs::exists("x"));
  const Finished rounds = bench("--watch-rounds 1 --size 8");
  CHECK(rounds.status == 2);
  CHECK(has(rounds.err, "--watch"));
}

TEST_CASE("contradictory bounds of --random are bad usage, and the error says what the sides allow") {
  for (const char* shapes : {"--random 3 --sides 16-32 --gflop 5-6 --peer none",
                             "--random 3 --sides 9000-9400 --gflop 5-6 --explain",
                             "--random 3 --sides 500-500 --gflop 0.2-1 --explain"}) {
    const Finished refused = bench(shapes);
    INFO(shapes << ": " << refused.err);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "such sides give"));
  }
  CHECK(has(bench("--random 3 --sides 16-32 --gflop 5-6").err, "8.19e-06 to 6.55e-05 GFLOP"));
  CHECK(has(bench("--random 9000 --sides 1-2 --gflop 1e-9-1").err, "only 8 of 9000 different shapes"));
}

TEST_CASE("a CLGEMM_KERNEL_DIR that is not a folder is bad usage if kernels are read") {
  for (const char* reading : {quick, "--explain --size 8", "--list-kernels", "--show-kernel naive"}) {
    const Finished refused = bench(reading, "CLGEMM_KERNEL_DIR=/nosuch");
    INFO(reading << ": " << refused.err);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "CLGEMM_KERNEL_DIR: '/nosuch'"));
  }
  CHECK(bench("--list-devices", "CLGEMM_KERNEL_DIR=/nosuch").status == 0);
}
