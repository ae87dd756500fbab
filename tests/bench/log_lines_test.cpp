// The output of CLGEMM_LOG on stderr, from clgemm-bench in a separate process.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"

namespace {

using clgemm::test::TemporaryFolder;

constexpr const char* one_call = "--kernel auto --size 96x80x112 --runs 1 --warmup 0";

// Returns the lines of clgemm on stderr that begin with this text.
std::vector<std::string> lines_of(const std::string& variables, const std::string& arguments,
                                  const std::string& begin) {
  const clgemm::test::Finished finished =
      clgemm::test::run_program(fmt::format("{} '{}' {}", variables, CLGEMM_BENCH_PROGRAM, arguments));
  INFO(finished.err);
  CHECK(finished.status == 0);
  std::vector<std::string> result;
  std::istringstream lines(finished.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("clgemm: " + begin, 0) == 0) result.push_back(line.substr(8));
  }
  return result;
}

bool has(const std::string& line, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&line](const std::string& part) { return line.find(part) != std::string::npos; });
}

// Returns the text between "chosen for 96 x 80 x 112: " and the kernel's parameters.
std::string chosen_kernel() {
  const auto lines = lines_of("CLGEMM_LOG=info", one_call, "chosen for 96 x 80 x 112: ");
  REQUIRE_FALSE(lines.empty());
  const std::string rest = lines[0].substr(lines[0].find(": ") + 2);
  return rest.substr(0, rest.find_first_of(" ,"));
}

}  // namespace

TEST_CASE("info: logs a choice with its config, its predicted time and the runner-up, but no calls") {
  const auto lines = lines_of("CLGEMM_LOG=info", one_call, "");
  const auto is_choice = [](const std::string& line) {
    return line.rfind("chosen for 96 x 80 x 112: ", 0) == 0;
  };
  const auto choice = std::find_if(lines.begin(), lines.end(), is_choice);
  REQUIRE(choice != lines.end());
  INFO(*choice);
  CHECK(has(*choice, {" ms predicted, ", "; runner-up: "}));
  CHECK(std::count_if(lines.begin(), lines.end(), is_choice) == 1);  // the choice is made once
  for (const std::string& line : lines) CHECK_FALSE(has(line, {"call: "}));
  CHECK(lines_of("CLGEMM_LOG=", one_call, "").empty());
}

TEST_CASE("info: says why compiled programs are not kept") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  const auto about = [](const std::string& cache) {
    return lines_of(fmt::format("CLGEMM_LOG=info CLGEMM_CACHE_DIR='{}'", cache), one_call,
                    "compiled programs are not kept");
  };
  CHECK(has(about(file).at(0), {"file': it cannot be created: Not a directory"}));
  CHECK(has(about(file + "/below").at(0), {"file/below': it cannot be created: Not a directory"}));
}

TEST_CASE("info: says why tuning data is skipped") {
  const TemporaryFolder folder;
  const auto about = [&](const std::string& tuning) {
    return lines_of(fmt::format("CLGEMM_LOG=info CLGEMM_TUNING='{}'", tuning), one_call, "tuning data");
  };
  const auto broken = about(folder.write("broken.json", "{ nonsense"));
  REQUIRE_FALSE(broken.empty());
  CHECK(has(broken[0], {"tuning data not used: ", "broken.json: "}));
  CHECK(has(about((folder.path() / "missing.json").string()).at(0),
            {"missing.json: No such file or directory"}));
  folder.write("clgemm/tuning/own.json", "{ nonsense");
  const auto about_own = [&](const char* tuning) {
    return lines_of(
        fmt::format("CLGEMM_LOG=info XDG_CONFIG_HOME='{}' CLGEMM_TUNING={}", folder.path().string(), tuning),
        one_call, "tuning data not used: " + folder.path().string());
  };
  CHECK_FALSE(about_own("").empty());
  CHECK(about_own("0").empty());  // only the built-in data
  // The built-in data are for several devices. At most one of them is this device.
  const auto shipped = lines_of("CLGEMM_LOG=info", one_call, "tuning data not used: built-in/");
  REQUIRE_FALSE(shipped.empty());
  CHECK(has(shipped[0], {".json, '", "' of "}));
}

TEST_CASE("explain() says which tuning file was skipped, and why") {
  const TemporaryFolder folder;
  const std::string file = folder.write("shared.json", "{}");
  std::filesystem::permissions(file, std::filesystem::perms(0664));
  const auto shown = clgemm::test::run_program(
      fmt::format("CLGEMM_TUNING='{}' '{}' --explain --size 96x80x112", file, CLGEMM_BENCH_PROGRAM));
  INFO(shown.out);
  CHECK(shown.out.find("tuning file skipped: " + file + ": its group may write to it; chmod go-w\n") !=
        std::string::npos);
}

TEST_CASE("info: names a kernel that is not used any more, and why") {
  const TemporaryFolder folder;
  const std::string kernel = chosen_kernel();
  const auto shown =
      clgemm::test::run_program(fmt::format("'{}' --show-kernel {}", CLGEMM_BENCH_PROGRAM, kernel));
  REQUIRE(shown.status == 0);
  std::string text = shown.out;
  const std::string name = text.substr(11, text.find('\n') - 11);  // after "// clgemm: "
  text.insert(text.find("__kernel"), "nonsense; ");
  folder.write(name + ".cl", text);
  const auto lines = lines_of(fmt::format("CLGEMM_LOG=info CLGEMM_KERNEL_DIR='{}'", folder.path().string()),
                              one_call, "not used: " + kernel);
  // Other configs of the kernel may not suit this device, and then have lines of their own.
  CHECK(std::any_of(lines.begin(), lines.end(),
                    [](const std::string& line) { return has(line, {"does not compile"}); }));
}

TEST_CASE("debug: logs compiled programs, and a line for each call with device, shape, kernel and time") {
  const TemporaryFolder cache;
  const std::string variables =
      fmt::format("CLGEMM_LOG=debug CLGEMM_CACHE_DIR='{}'", (cache.path() / "new").string());
  CHECK_FALSE(lines_of(variables, one_call, "compiled: the kernel '").empty());
  const auto calls = lines_of(variables, "--kernel naive --size 8x9x10 --runs 1 --warmup 0", "call: ");
  REQUIRE_FALSE(calls.empty());
  INFO(calls[0]);
  CHECK(has(calls[0],
            {": 8 x 9 x 10, alpha 1, beta 0, ld 10 9 9; naive", " predicted; ", " ms on the device"}));
}

TEST_CASE("debug: the time of a call includes all its launches") {
  const std::string run =
      "--kernel tiled --param SPLIT_K=4 --size 40x40x400 --runs 1 --warmup 0 --no-baseline --format json "
      "--output ";
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "run.json").string();
  const auto calls = lines_of("CLGEMM_LOG=debug", run + file, "call: ");
  REQUIRE_FALSE(calls.empty());
  const nlohmann::json row = nlohmann::json::parse(clgemm::test::text_of_file(file)).at("rows").at(0);
  REQUIRE(row.at("launches").get<int>() > 1);
  const std::string& said = calls.back();
  INFO(said << row.at("samples_ms").dump());
  const double logged = std::stod(said.substr(said.rfind("; ") + 2));
  CHECK(logged == Approx(row.at("samples_ms").at(0).get<double>()).epsilon(0.01));
}

TEST_CASE("debug: a call on host matrices has the wall-clock time") {
  const auto calls = lines_of("CLGEMM_LOG=debug",
                              "--kernel naive --size 8x9x10 --runs 1 --warmup 0 --host-to-host", "call: ");
  CHECK(std::any_of(calls.begin(), calls.end(), [](const std::string& line) {
    return has(line, {": 8 x 9 x 10, host matrices; took ", " ms"});
  }));
}

TEST_CASE("a bad value of a variable is reported once, for any number of contexts") {
  const auto lines = lines_of("CLGEMM_LOG=info CLGEMM_CACHE_MIB=none CLGEMM_SELF_TEST=never",
                              "--kernel naive --kernel tiled --size 8 --runs 1 --warmup 0", "CLGEMM_");
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], {"CLGEMM_CACHE_MIB is 'none'; it must be an integer of at least 1"}));
  CHECK(has(lines[1], {"CLGEMM_SELF_TEST is 'never'; it must be 0 or 1"}));
}
