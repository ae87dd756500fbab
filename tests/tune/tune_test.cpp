// clgemm-tune: its search, its journal, and the program itself on a device with kernels that fail in several
// ways.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "build/decompress.hpp"
#include "build/precompiled.hpp"
#include "build/program_cache.hpp"
#include "choose/tuning_json.hpp"
#include "support/elf.hpp"
#include "support/llvmpipe.hpp"
#include "support/made_up.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"
#include "tune/actions/prepare.hpp"
#include "tune/measuring/fake_times.hpp"
#include "tune/measuring/journal.hpp"
#include "tune/searching/size_search.hpp"
#include "tune_program.hpp"

namespace clgemm::tune {
namespace {

using test::Finished;
using test::run_program;
using test::ScopedVariable;
using test::TemporaryFolder;
using test::text_of_file;

// One work-item for each element, and a parameter that says how it fails.
constexpr const char* moody_kernel = R"(// clgemm: moody
// summary: right, wrong, endless, deadly or no OpenCL C at all
// operands: in_place
// param: MOOD = 0 in 0 1 2 3 4
// param: SIDE = 8 in 4 8 16
// tile: SIDE SIDE 1
// local: SIDE SIDE
// grid: columns rows

#include "common/in_place.cl"
#include "common/store.cl"
#if MOOD == 4
#error "in no mood"
#endif

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int depth = 0; depth < k; ++depth) {
    sum = MULTIPLY_ADD(element_of_a(a + a_offset, lda, row, depth), element_of_b(b + b_offset, ldb, depth, column), sum);
  }
#if MOOD == 1
  sum += 1.0f;
#elif MOOD == 2
  for (volatile int i = 0; i < m + 1; i = (i + 1) % m) sum += 0.0f;
#elif MOOD == 3
  *(volatile __global float*)(ulong)(m - m + 8) = sum;
#endif
  store_c(c + c_offset, ldc, m, n, row, column, alpha, sum, beta);
}
)";

std::vector<KernelSpace> small_space() {
  KernelLibrary library;
  return spaces_of({"tiled", "wpt", "block_1d"}, test::made_up_gpu(), library);
}

// A search with made-up outcomes.
struct Search {
  std::vector<KernelSpace> spaces = small_space();
  std::set<Config> measured;
  std::size_t count = 0;
  std::optional<Winner> run(const SearchSettings& settings, std::vector<Config> starts = {}) {
    SizeSearch search({256, 256, 256}, spaces, std::move(starts), {}, settings,
                      [&](const Trial& trial, double) -> std::optional<Outcome> {
                        measured.insert(trial.config);
                        ++count;
                        return with_fake_times(trial, {});
                      });
    CHECK(search.run());
    return search.winner();
  }
};

TEST_CASE("the space has exactly the configs that rules and device allow") {
  KernelLibrary library;
  const KernelSpace tiled = space_of("tiled", test::made_up_gpu(), library);
  CHECK(tiled.configs.size() == 9);
  // This leaves out 32 x 32 work-items.
  CHECK(space_of("tiled", test::made_up_gpu_256(), library).configs.size() == 6);
  CHECK(space_of("panels", test::made_up_gpu(), library).configs.empty());
  CHECK(spaces_of({"all"}, test::made_up_gpu(), library).size() >= 10);
  CHECK(spaces_of({"tiled", "all", "tiled"}, test::made_up_gpu(), library).size() ==
        spaces_of({"all"}, test::made_up_gpu(), library).size());
  CHECK_ERROR(
      [&] {
        spaces_of({"tiled", "panels"}, test::made_up_gpu(), library);
      },
      requirement_failed, "is_cpu");
  const auto near = neighbours(tiled, {"tiled", {{"TS", 16}, {"TSK", 8}}});
  CHECK(near.size() == 3);
}

TEST_CASE("a sample depends on the seed, has each config once and all kernels in turn") {
  const auto spaces = small_space();
  const auto sample = random_sample(spaces, 12, 7);
  CHECK(sample.size() == 12);
  CHECK(std::set<Config>(sample.begin(), sample.end()).size() == 12);
  CHECK(sample == random_sample(spaces, 12, 7));
  CHECK_FALSE(sample == random_sample(spaces, 12, 8));
  for (std::size_t i = 0; i < 12; ++i) CHECK(sample[i].kernel == spaces[i % 3].kernel);
  std::size_t all = 0;
  for (const KernelSpace& space : spaces) all += space.configs.size();
  CHECK(random_sample(spaces, 100000, 7).size() == all);
  CHECK(random_sample(spaces, 0, 7).size() == all);
}

TEST_CASE("a search that begins with all configs finds the best, and climbing comes near it with less") {
  SearchSettings settings;
  settings.samples = 0;
  Search all;
  const auto best = all.run(settings);
  REQUIRE(best);
  std::size_t configs = 0;
  for (const KernelSpace& space : all.spaces) configs += space.configs.size();
  CHECK(all.measured.size() == configs);
  for (const Config& config : all.measured) {
    CHECK(with_fake_times({{256, 256, 256}, config, Care::quick}, {}).ms >= best->ms);
  }

  settings.samples = 9;
  Search climb;
  const auto climbed = climb.run(settings);
  REQUIRE(climbed);
  CHECK(climb.measured.size() < configs * 2 / 3);
  CHECK(climbed->ms <= best->ms * 1.1);
  const std::vector<Config> sample = random_sample(climb.spaces, 9, settings.seed);
  CHECK(climb.measured.size() > sample.size());
  for (const Config& config : sample)
    CHECK(climbed->ms <= with_fake_times({{256, 256, 256}, config, Care::quick}, {}).ms);
}

TEST_CASE("a budget ends a search, but clgemm's own choice is always measured") {
  SearchSettings settings;
  settings.budget_s = 0.5;  // time for ten measurements
  Search search;
  const Config start{"wpt", {{"TS", 8}, {"WPT", 2}}};
  const auto winner = search.run(settings, {start});
  REQUIRE(winner);
  CHECK(winner->first_ms > 0.0);
  CHECK(search.count < 20);
}

TEST_CASE("if clgemm's own choice was not done in time, no config replaces it") {
  const Config start{"wpt", {{"TS", 8}, {"WPT", 2}}};
  for (const bool is_late_again : {false, true}) {
    const std::vector<KernelSpace> spaces = small_space();
    SizeSearch search(
        {256, 256, 256}, spaces, {start}, {}, {}, [&](const Trial& trial, double) -> std::optional<Outcome> {
          const bool is_late = trial.config == start && (is_late_again || trial.care == Care::quick);
          if (is_late) return Outcome{0.0, std::string(Outcome::lateness) + "3 s", 3.0};
          return with_fake_times(trial, {});
        });
    REQUIRE(search.run());
    REQUIRE(search.winner());
    CHECK(search.late() >= 1);
    CHECK(search.winner()->first_was_late == is_late_again);
    CHECK((search.winner()->first_ms > 0.0) == !is_late_again);
  }
}

TEST_CASE("unknown names on the command line are bad usage; the help contains no internals of CLI11") {
  for (const char* wrong : {"--kernel tield", "--device 'no such device'", "--kernel tiled --sampels 9"}) {
    INFO(wrong);
    CHECK(run_program(command(wrong)).status == 2);
  }
  const std::string help = run_program(command("--help")).out;
  CHECK(help.find("--without-own-choice ") != std::string::npos);
  CHECK(help.find('{') == std::string::npos);
}

TEST_CASE("options that exclude each other, or would change nothing, are bad usage, and nothing is run") {
  const TemporaryFolder folder;
  const ScopedVariable config("XDG_CONFIG_HOME", folder.path());
  const ScopedVariable fake("CLGEMM_TUNE_FAKE_TIMES", "1");
  const std::string samples = (folder.path() / "samples.csv").string();
  const std::string fit = "--fit '" CLGEMM_TEST_DATA "/h200_times.csv' ";
  const std::string regret = "--regret '" CLGEMM_TEST_DATA "/h200_times.csv' ";
  const std::string calibrate = "--calibrate --shapes 16 --budget 1 ";
  const std::pair<std::string, std::string> mistakes[] = {
      {"--list --calibrate", "--calibrate and --list cannot be used together"},
      {"--list --check", "--check and --list cannot be used together"},
      {"--check --list --export x", "--export and --check cannot be used together"},
      {fit + "--list", "--fit and --list cannot be used together"},
      {"--list --keep-samples " + samples, "--keep-samples needs --calibrate, --quick or --fit"},
      {"--quick --calibrate", "--calibrate and --quick cannot be used together"},
      {"--quick --shapes 16",
       "the number of shapes can be set only for --calibrate and --prepare; --shapes has no effect"},
      {"--quick --size 64", "--size has no effect"},
      {regret, "--regret needs --output"},
      {regret + "--seed 5 --output x", "--regret measures nothing; --seed has no effect"},
      {regret + "--keep-samples " + samples + " --output x", "--keep-samples needs"},
      {calibrate + "--size 64", "--size has no effect"},
      {calibrate + "--space tvm36", "--space has no effect"},
      {calibrate + "--transpose-b", "--transpose-b has no effect"},
      {calibrate + "--kernel tiled", "--kernel has no effect"},
      {"--export x --kernel tiled", "--export uses all measurements of the device; --kernel has no effect"},
      {fit + "--size 64 --output x", "--size has no effect"},
      {fit + "--budget 5 --output x", "--fit measures nothing; --budget has no effect"},
      {"--export x --fresh", "--export measures nothing; --fresh has no effect"},
      {"--list-tuned --size 9", "--list-tuned uses all measurements of the device; --size has no effect"},
      {"--forget --kernel tiled", "--forget removes the data of shapes; --kernel has no effect"},
      {"--forget --budget 9", "--forget measures nothing; --budget has no effect"},
      {"--shapes 16 --size 32",
       "the number of shapes can be set only for --calibrate and --prepare; --shapes has no effect"},
      {"--check --budget 5",
       "--check runs every config, or as many as --samples says; --budget has no effect"},
      {fit, "--fit needs --output"}};
  for (const auto& [options, said] : mistakes) {
    const Finished finished = run_program(command(options));
    INFO(options << finished.out << finished.err);
    CHECK(finished.status == 2);
    CHECK(test::contains(finished.err, said));
    CHECK(finished.out.empty());
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a journal returns what was added, drops an incomplete line and identifies its run") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "journal";
  const Trial trial{{3, 4, 5}, {"tiled", {{"TS", 8}, {"TSK", 16}}}, Care::ranked};
  {
    Journal journal(path, "one run");
    journal.add(trial, {0.1 + 0.2, "", 1.5});
    journal.add({{3, 4, 5}, trial.config, Care::quick}, {0.0, "does not \"build\"\n", 2.0});
  }
  const std::string whole = text_of_file(path.string());
  {
    std::FILE* file = std::fopen(path.c_str(), "a");
    std::fputs("{\"m\": 3, \"n\"", file);
    std::fclose(file);
    const Journal journal(path, "one run");
    CHECK(journal.size() == 2);
    REQUIRE(journal.find(trial));
    CHECK(journal.find(trial)->ms == 0.1 + 0.2);
    CHECK_FALSE(journal.find({{3, 4, 5}, trial.config, Care::quick})->is_right());
    CHECK_FALSE(journal.find({{3, 4, 6}, trial.config, Care::quick}));
  }
  CHECK(text_of_file(path.string()) == whole);
  try {
    const Journal another(path, "another run");
    FAIL("the journal of one run was taken for another's");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()).find("another run") != std::string::npos);
  }
}

TEST_CASE("configs that hang, crash, do not build or are wrong never win, and the run goes on") {
  const TemporaryFolder folder;
  folder.write("moody.cl", moody_kernel);
  const std::string output = (folder.path() / "out.json").string();
  const auto options_within = [&](int limit_s) {
    return fmt::format("--kernel-folder '{}' --kernel moody --size 33x31x17 --limit {} --output '{}' --fresh",
                       folder.path().string(), limit_s, output);
  };
  // On a busy machine, a working kernel takes long, too. So the limit grows until all working kernels finish
  // in time.
  constexpr int longest_s = 48;
  const std::size_t hanging = test::is_on_llvmpipe() ? 0 : 3;  // llvmpipe ends every loop
  const std::string passed = fmt::format("{} of 15 configs PASSED", 6 - hanging);
  int limit_s = 3;
  Finished checked = run_program(command(options_within(limit_s) + " --check"));
  while (checked.out.find(passed) == std::string::npos && limit_s < longest_s)
    checked = run_program(command(options_within(limit_s *= 4) + " --check"));
  INFO(checked.out << checked.err);
  CHECK(checked.status == 1);
  CHECK(test::text_of_file(output).empty());
  const auto count = [&](const std::string& text) {
    std::size_t result = 0;
    for (auto at = checked.out.find(text); at != std::string::npos; at = checked.out.find(text, at + 1))
      ++result;
    return result;
  };
  CHECK(count("wrong result") == 3);
  CHECK(count(fmt::format("there was no result within {} s", limit_s)) == hanging);
  CHECK(count("ended by signal") + count("device lost") == 3);  // by a CPU's process, or by a GPU
  CHECK(count(passed) == 1);
  CHECK(count("FAILED") == 9 + hanging);

  const Finished tuned = run_program(command(options_within(limit_s) + " --samples 15 --without-own-choice"));
  INFO(tuned.out << tuned.err);
  CHECK(tuned.status == 0);
  const TuningFile file = parse_tuning(text_of_file(output), output);
  REQUIRE(file.measured.size() == 1);
  CHECK(file.measured[0].config.kernel == "moody");
  CHECK(file.measured[0].config.parameters.at("MOOD") == 0);
  CHECK(file.measured[0].size == GemmSize{33, 31, 17});
  CHECK(journal_of(output).empty());
  CHECK_FALSE(std::filesystem::exists(output + ".programs"));
}

// One config is wrong in one way.
TEST_CASE("--check finds a kernel that is right only for the sampled elements") {
  const std::string of_a = "element_of_a(a + a_offset, lda, row, depth)";
  const std::string store = "store_c(c + c_offset, ldc, m, n, row, column, alpha, sum, beta);";
  struct Mistake {
    std::string from, to, said;
  };
  const Mistake mistakes[] = {
      {of_a, "a[a_offset + row * lda + depth]", "wrong result"},
      {store, store + " if (column == n - 1 && ldc > n) c[c_offset + row * ldc + n] = 0.0f;",
       "the gap after row 0"},
      {store, store + " if (row == m - 1 && column == n - 1) c[c_offset + m * ldc] = 1.0f;",
       "after its end"}};
  std::string right = moody_kernel;
  const auto replace = [](std::string text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  right = replace(replace(right, "0 in 0 1 2 3 4", "0 in 0"), "8 in 4 8 16", "8 in 8");
  const TemporaryFolder folder;
  const auto check = [&](const std::string& text) {
    return run_program(
        command(fmt::format("--check --kernel '{}' --output '{}'", folder.write("moody.cl", text),
                            (folder.path() / "out").string())));
  };
  CHECK(check(right).status == 0);
  for (const Mistake& mistake : mistakes) {
    const Finished finished = check(replace(right, mistake.from, mistake.to));
    INFO(mistake.to << finished.out << finished.err);
    CHECK(finished.status == 1);
    CHECK(finished.out.find(mistake.said) != std::string::npos);
  }
}

#ifdef CLGEMM_DYING_DEVICE
TEST_CASE("a config that loses the device is marked, and a new worker measures the next ones") {
  const TemporaryFolder folder;
  const std::string output = (folder.path() / "out.json").string();
  const std::string options = "--kernel tiled --size 33x31x17 --output " + output;
  // A space ends a name in LD_PRELOAD, and cannot be quoted.
  const std::filesystem::path library = folder.path() / "dying.so";
  std::filesystem::create_symlink(CLGEMM_DYING_DEVICE, library);
  const std::string dying = fmt::format("LD_PRELOAD='{}' CLGEMM_TEST_DEADLY_OPTION=-DTS=8", library.string());
  const Finished checked = run_program(command(options + " --check", dying));
  INFO(checked.out << checked.err);
  CHECK(checked.status == 1);
  const auto count = [&](const std::string& text) {
    std::size_t result = 0;
    for (auto at = checked.out.find(text); at != std::string::npos; at = checked.out.find(text, at + 1))
      ++result;
    return result;
  };
  CHECK(count("FAILED tiled TS=8") == 3);
  CHECK(count("device lost: ") == 3);
  CHECK(count("6 of 9 configs PASSED") == 1);

  const Finished tuned = run_program(command(options + " --samples 9 --without-own-choice", dying));
  INFO(tuned.out << tuned.err);
  CHECK(tuned.status == 0);
  const TuningFile file = parse_tuning(text_of_file(output), output);
  REQUIRE(file.measured.size() == 1);
  CHECK(file.measured[0].config.parameters.at("TS") != 8);
}
#endif

// Starts the program, and ends it with a signal when the condition is met.
template <class Condition>
int stopped_when(const Condition& is_time, const std::vector<std::string>& arguments, int signal) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> words;
    std::vector<std::string> all = {CLGEMM_TUNE_PROGRAM};
    all.insert(all.end(), arguments.begin(), arguments.end());
    for (std::string& word : all) words.push_back(word.data());
    words.push_back(nullptr);
    std::freopen("/dev/null", "w", stdout);
    std::freopen("/dev/null", "w", stderr);
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  for (int i = 0; i < 60000; ++i) {
    if (is_time()) break;
    if (waitpid(child, &status, WNOHANG) == child) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, signal);
  waitpid(child, &status, 0);
  return status;
}

// Stops it when the journal beside the output has more lines than this.
int stopped_at(const std::vector<std::string>& arguments, const std::string& output, std::ptrdiff_t lines,
               int signal) {
  const auto has_lines = [&] {
    const std::string text = text_of_file(journal_of(output));
    return std::count(text.begin(), text.end(), '\n') > lines;
  };
  return stopped_when(has_lines, arguments, signal);
}

TEST_CASE("a check has no journal and leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string output = (folder.path() / "out.json").string();
  const auto has_begun = [&] { return std::filesystem::exists(output + ".programs"); };
  const int status = stopped_when(has_begun, {"--check", "--kernel", "tiled", "--output", output}, SIGINT);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a run that was killed and started again ends with the same file as one complete run") {
  const TemporaryFolder folder;
  const ScopedVariable fake("CLGEMM_TUNE_FAKE_TIMES", "1");
  const std::string whole = (folder.path() / "whole.json").string();
  const std::string parts = (folder.path() / "parts.json").string();
  const std::vector<std::string> search = {"--kernel", "tiled",    "--kernel",  "wpt", "--size", "33x31x17",
                                           "--size",   "64x64x64", "--samples", "6",   "--seed", "3"};
  std::string options;
  for (const std::string& word : search) options += " " + word;
  const Finished through = run_program(command(options + " --output " + whole));
  INFO(through.out << through.err);
  REQUIRE(through.status == 0);

  std::vector<std::string> arguments = search;
  arguments.insert(arguments.end(), {"--output", parts});
  const int killed = stopped_at(arguments, parts, 5, SIGKILL);
  CHECK(WIFSIGNALED(killed));
  const int killed_again = stopped_at(arguments, parts, 15, SIGKILL);
  CHECK(WIFSIGNALED(killed_again));
  const int interrupted = stopped_at(arguments, parts, 20, SIGINT);
  CHECK(WIFEXITED(interrupted));
  CHECK(WEXITSTATUS(interrupted) == 130);
  CHECK_FALSE(text_of_file(parts) == text_of_file(whole));
  const std::string journal = journal_of(parts);
  const auto lines_before = text_of_file(journal);
  CHECK(std::count(lines_before.begin(), lines_before.end(), '\n') > 20);

  // Other commands with the same output start from the beginning and do not change the journal.
  const std::string file = folder.write("of_a_user.cl", text_of_file(CLGEMM_KERNELS "/naive.cl"));
  for (const std::string& other :
       {std::string("--list"), options + " --check", std::string("--kernel tiled --samples 1 --size 32"),
        "--samples 1 --size 32 --kernel " + file, std::string("--calibrate --shapes 16")}) {
    const Finished finished = run_program(command(other + " --output " + parts));
    INFO(other << finished.out << finished.err);
    CHECK(finished.status == 0);
    CHECK_FALSE(test::contains(finished.err, "continuing after"));
    CHECK(journal_of(parts) == journal);
    CHECK(text_of_file(journal) == lines_before);
  }
  std::filesystem::remove(parts);
  const Finished resumed = run_program(command(options + " --output " + parts));
  INFO(resumed.out << resumed.err);
  CHECK(resumed.status == 0);
  CHECK(test::text_of_file(parts) == test::text_of_file(whole));
  CHECK(resumed.err.find("continuing after") != std::string::npos);
  CHECK(journal_of(parts).empty());
}

TEST_CASE("the results of a run are added to the file, found by the library, and exported") {
  const TemporaryFolder folder;
  const ScopedVariable config("XDG_CONFIG_HOME", folder.path());
  const std::string options = "--kernel tiled --kernel wpt --samples 4 --without-own-choice --size ";
  REQUIRE(run_program(command(options + "200")).status == 0);
  REQUIRE(run_program(command(options + "100x50x400")).status == 0);
  const auto tuning = folder.path() / "clgemm" / "tuning";
  REQUIRE(std::filesystem::exists(tuning));
  const std::string exported = (folder.path() / "exported.json").string();
  REQUIRE(run_program(command("--export " + exported)).status == 0);
  const TuningFile file = parse_tuning(text_of_file(exported), exported);
  CHECK(file.measured.size() == 2);
  const Finished explained = run_program(fmt::format("'{}' --explain --size 200", CLGEMM_BENCH_PROGRAM));
  INFO(explained.out);
  CHECK(explained.out.find("measured: ") != std::string::npos);
  CHECK(explained.out.find("200 x 200 x 200") != std::string::npos);
  CHECK(explained.out.find("kernel: panels") == std::string::npos);
}

TEST_CASE("tuned data are listed, imported and removed") {
  const TemporaryFolder folder;
  const ScopedVariable config("XDG_CONFIG_HOME", folder.path());
  const auto tune = [](const std::string& options) {
    const Finished finished = run_program(command(options));
    INFO(options << '\n' << finished.out << finished.err);
    return finished;
  };
  const std::string other = (folder.path() / "other.json").string();
  const std::string search = "--kernel tiled --samples 1 --without-own-choice --size ";
  CHECK(tune("--list-tuned").out.find("only the data that come with clgemm") != std::string::npos);
  CHECK(tune("--forget").status == 1);
  REQUIRE(tune(search + "40 --size 50x60x70 --output " + other).status == 0);
  CHECK(tune("--list-tuned --output " + other).out.find("50 x 60 x 70: tiled") != std::string::npos);

  // The user's file has another shape, which stays in it.
  REQUIRE(tune(search + "80").status == 0);
  CHECK(tune("--import " + other).out.find("0 configs, 3 shapes") != std::string::npos);
  const std::string listed = tune("--list-tuned").out;
  for (const char* shape : {"40 x 40 x 40: tiled", "50 x 60 x 70: tiled", "80 x 80 x 80: tiled"})
    CHECK(listed.find(shape) != std::string::npos);

  CHECK(tune("--forget --size 40 --size 7").out.find("forgotten: 0 configs, 1 shapes") != std::string::npos);
  CHECK(tune("--forget --size 40").status == 1);
  CHECK(tune("--forget --size 50x60x70 --transpose-a").status == 1);
  CHECK(tune("--list-tuned").out.find("2 shapes") != std::string::npos);
  CHECK(tune("--forget").out.find("forgotten: 0 configs, 2 shapes") != std::string::npos);
  CHECK(tune("--list-tuned").out.find("only the data that come with clgemm") != std::string::npos);

  // A file of another device, or one that is not tuning data, changes nothing.
  std::string text = text_of_file(other);
  text.replace(text.find("\"name\":\""), 8, "\"name\":\"not ");
  const std::string foreign = folder.write("foreign.json", text);
  CHECK(tune("--import " + foreign).err.find("clgemm would not use the file") != std::string::npos);
  CHECK(tune("--import " + folder.write("none.json", "{}")).err.find("has no tuning data") !=
        std::string::npos);
  CHECK(tune("--list-tuned").out.find("only the data that come with clgemm") != std::string::npos);
  CHECK(tune("--forget --output " + folder.write("none.json", "{}")).status == 1);
  CHECK(text_of_file((folder.path() / "none.json").string()) == "{}");
}

TEST_CASE("a missing folder, or a missing file to export, is named in the error and not created") {
  const TemporaryFolder folder;
  const ScopedVariable config("XDG_CONFIG_HOME", folder.path().c_str());
  const std::filesystem::path missing = folder.path() / "mistyped";
  const std::string run = "--kernel tiled --samples 1 --without-own-choice --size 64 ";
  for (const std::string& options : {run + "--output ", std::string("--export ")}) {
    const Finished refused = run_program(command(options + (missing / "x.json").string()));
    INFO(options << refused.err);
    CHECK(refused.status == 2);
    CHECK(refused.err.find(fmt::format("there is no folder '{}'", missing.string())) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(missing));
  }
  const Finished nothing = run_program(command("--export " + (folder.path() / "x.json").string()));
  CHECK(nothing.status == 1);
  CHECK(nothing.err.find(fmt::format("there is no file '{}", (folder.path() / "clgemm").string())) !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "clgemm"));
}

TEST_CASE("nothing is kept if clgemm's own choice was not measured, or is computed as the transpose") {
  const TemporaryFolder folder;
  const std::string output = (folder.path() / "out.json").string();
  const auto explained = [](const char* size) {
    return run_program(fmt::format("'{}' --explain --size {}", CLGEMM_BENCH_PROGRAM, size)).out;
  };
  if (explained("1x1000x500").find("transposed: ") == std::string::npos) {
    WARN("NOT TESTED on this device: a choice that is computed as the transpose, because there is none");
  } else {
    const Finished tuned =
        run_program(command("--kernel naive --samples 1 --size 1x1000x500 --output " + output));
    INFO(tuned.out << tuned.err);
    CHECK(tuned.status == 0);
    CHECK(tuned.out.find("computed as the transpose, was the best") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(output));
  }
  if (test::is_on_llvmpipe()) {
    WARN("NOT TESTED on llvmpipe, which ends every loop: an own choice that does not end");
    return;
  }
  const std::string text = explained("300");
  const std::string own = text.substr(text.find("kernel: ") + 8,
                                      text.find(' ', text.find("kernel: ") + 8) - text.find("kernel: ") - 8);
  std::string endless = run_program(fmt::format("'{}' --show-kernel {}", CLGEMM_BENCH_PROGRAM, own)).out;
  const std::string numbers = "UNPACK_NUMBERS;\n";
  REQUIRE(endless.find(numbers) != std::string::npos);
  endless.insert(endless.find(numbers) + numbers.size(),
                 "  for (volatile int i = 0; i < m + 1; i = (i + 1) % m) continue;\n");
  folder.write(own + ".cl", endless);
  const Finished tuned = run_program(
      command(fmt::format("--kernel-folder '{}' --kernel naive --samples 1 --size 300 --limit 10 --output {}",
                          folder.path().string(), output)));
  INFO(tuned.out << tuned.err);
  CHECK(tuned.status == 1);
  CHECK(tuned.out.find("own choice gave no result within 10 s") != std::string::npos);
  CHECK(tuned.out.find("--limit allows more time") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(output));
}

TEST_CASE("the space tvm36 has 36 configs, and its winner is a step of the ladder, not clgemm's choice") {
  const TemporaryFolder folder;
  const ScopedVariable config("XDG_CONFIG_HOME", folder.path());
  const Finished listed = run_program(command("--space tvm36 --list"));
  CHECK(listed.out.find("tiled_vector         36") != std::string::npos);
  const Finished tuned = run_program(command("--space tvm36 --size 128"));
  INFO(tuned.out << tuned.err);
  REQUIRE(tuned.status == 0);
  const auto tuning = folder.path() / "clgemm" / "tuning";
  const auto path = std::filesystem::directory_iterator(tuning)->path().string();
  const TuningFile file = parse_tuning(text_of_file(path), path);
  REQUIRE(file.measured.size() == 1);
  CHECK(file.measured[0].space == "tvm36");
  const Finished explained = run_program(fmt::format("'{}' --explain --size 128", CLGEMM_BENCH_PROGRAM));
  CHECK(explained.out.find("kernel: tiled_vector") == std::string::npos);
  const Finished ladder = run_program(fmt::format(
      "'{}' --ladder --size 128 --runs 1 --warmup 0 --peer none --format json", CLGEMM_BENCH_PROGRAM));
  const nlohmann::json results = nlohmann::json::parse(ladder.out);
  bool is_a_step = false;
  for (const auto& row : results.at("rows")) {
    if (row.at("kernel") != "tiled_vector") continue;
    is_a_step = true;
    CHECK(row.at("parameters").get<Parameters>() == file.measured[0].config.parameters);
  }
  CHECK(is_a_step);
}

TEST_CASE("a calibration writes rates and rows that the library then uses") {
  const TemporaryFolder folder;
  const ScopedVariable fake("CLGEMM_TUNE_FAKE_TIMES", "1");
  const std::string output = (folder.path() / "out.json").string();
  const Finished finished = run_program(command("--calibrate --shapes 16 --output " + output));
  INFO(finished.out << finished.err);
  REQUIRE(finished.status == 0);
  CHECK(finished.out.find("that were not fitted") != std::string::npos);
  const TuningFile file = parse_tuning(text_of_file(output), output);
  CHECK(file.rates);
  CHECK(file.configs.size() >= 4);
  CHECK(journal_of(output).empty());
}

// Names PoCL's device with one thread, which is related only to PoCL's devices, for any processor. Returns
// false if there is none.
bool names_unmeasured_device(std::string& variables) {
  variables = "POCL_DEVICES=basic CLGEMM_DEVICE='Portable Computing Language'";
  const Finished listed = run_program(fmt::format("{} '{}' --list", variables, CLGEMM_TUNE_PROGRAM));
  return listed.status == 0;
}

TEST_CASE("until --quick has run, explain() and the bench say once that nothing was measured on the device") {
  std::string variables;
  if (!names_unmeasured_device(variables)) {
    WARN("NOT TESTED: there is no PoCL here");
    return;
  }
  const TemporaryFolder folder;
  variables += fmt::format(" XDG_CONFIG_HOME='{}'", folder.path().string());
  const std::string notice = "nothing was measured on this device: run clgemm-tune --quick\n";
  const auto count = [&notice](const std::string& text) {
    int result = 0;
    for (auto at = text.find(notice); at != std::string::npos; at = text.find(notice, at + 1)) ++result;
    return result;
  };
  const auto bench = [&](const std::string& options) {
    return run_program(fmt::format("{} '{}' {}", variables, CLGEMM_BENCH_PROGRAM, options));
  };
  const std::string explain = "--explain --kernel auto --size 64 --size 100";
  const std::string measure = "--kernel auto --size 64 --size 100 --runs 1 --warmup 0 --peer none";
  CHECK(count(bench(explain).out) == 1);
  CHECK(count(bench(measure).err) == 1);
  CHECK(count(bench("--explain --kernel naive --size 64").out) == 0);

  const Finished quick = run_program(command("--quick", variables + " CLGEMM_TUNE_FAKE_TIMES=1"));
  INFO(quick.out << quick.err);
  REQUIRE(quick.status == 0);
  CHECK(count(bench(explain).out) == 0);
  CHECK(count(bench(measure).err) == 0);
}

TEST_CASE("--regret prints the regret of a tuning file on the samples of another run") {
  const TemporaryFolder folder;
  const std::string table =
      folder.write("device.json", text_of_file(CLGEMM_KERNELS "/tuned/nvidia_h200.json"));
  const std::string times = "--regret " CLGEMM_TEST_DATA "/h200_times.csv --output ";
  const Finished said = run_program(command(times + table));
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK(test::contains(said.out, "on the 184 shapes of"));
  CHECK(test::contains(said.out, ": 1.027,"));
  const std::string without =
      folder.write("without.json", text_of_file(CLGEMM_KERNELS "/tuned/pocl_avx512_xeon.json"));
  CHECK(test::contains(run_program(command(times + without)).err, "has no rates"));
}

TEST_CASE("--fit fits earlier measurements for the device of a file, and says if this file is missing") {
  const TemporaryFolder folder;
  const std::string shipped = text_of_file(CLGEMM_KERNELS "/tuned/nvidia_h200.json");
  const std::string table = folder.write("device.json", shipped);
  const std::string measured = text_of_file(CLGEMM_TEST_DATA "/h200_times.csv") + "64,64,64,naive,1e-3,,1\n";
  const std::string samples = "--fit " + folder.write("samples.csv", measured) + " --output ";
  const Finished fitted = run_program(command(samples + table));
  CHECK(fitted.status == 0);
  CHECK(test::contains(fitted.err,
                       "'naive' has samples of too few shapes, so clgemm will not choose it from this file"));
  CHECK(test::contains(fitted.out, "regret on all 184 shapes"));
  CHECK(parse_tuning(text_of_file(table), table).device.name == "NVIDIA H200");
  CHECK(text_of_file(table) != shipped);
  const Finished missing = run_program(command(samples + table + "x"));
  CHECK(missing.status == 1);
  CHECK(test::contains(missing.err, "cannot read '" + table + "x': No such file"));
}

TEST_CASE("wrong samples are reported with file and line, and too few samples leave the output unchanged") {
  const TemporaryFolder folder;
  const std::string shipped = text_of_file(CLGEMM_KERNELS "/tuned/nvidia_h200.json");
  const std::string output = folder.write("device.json", shipped);
  const std::string head = "m,n,k,config,seconds,predicted,batch\n";
  const std::string good = "9,9,9,naive,1e-6,,1\n";
  std::string eleven = head;
  for (int n = 1; n <= 11; ++n) eleven += fmt::format("64,{},64,direct,{}e-6,,1\n", 64 * n, n);
  const std::pair<std::string, const char*> mistakes[] = {
      {eleven, "these samples have 11;"},
      {eleven + "64,64,64,direct SPLIT_K=-1,1e-6,,1\n", "left out: the kernel 'direct': SPLIT_K=-1"},
      {"", "does not begin with 'm,n,k,config,seconds'"},
      {head, "a fit needs 12 shapes with configs that have 4 samples each, but these samples have 0;"},
      {head + good, "a fit needs 12 shapes with configs that have 4 samples each, but these samples have 0"},
      {head + good + "9,9,9,naive,inf,,1\n", "samples.csv:3: seconds must be a number above 0"},
      {head + "9,9,9,naive,0,,1\n", "samples.csv:2: seconds must"},
      {head + "9,9,9,naive,1e-6,nan,1\n", "samples.csv:2: predicted seconds must"},
      {head + "9,9,9,naive,1e-6,,1,nx\n", "samples.csv:2: the transposes must be nn, nt, tn or tt"},
      {head + "9,0,9,naive,1e-6,,1\n", "samples.csv:2: m, n, k and batch must be at least 1"},
      {head + "9,2147483648,9,naive,1e-6,,1\n", "samples.csv:2: m, n, k and batch must be less than 2^31"},
      {head + "9,-9,9,naive,1e-6,,1\n", "samples.csv:2: '-9' is not a number"}};
  for (const auto& [text, said] : mistakes) {
    const Finished finished =
        run_program(command("--fit " + folder.write("samples.csv", text) + " --output " + output));
    INFO(text << finished.out << finished.err);
    CHECK(finished.status == 1);
    CHECK(test::contains(finished.err, said));
    CHECK(text_of_file(output) == shipped);
  }
}

TEST_CASE("a run does not start if its results could not be written") {
  const TemporaryFolder folder;
  const ScopedVariable fake("CLGEMM_TUNE_FAKE_TIMES", "1");
  const std::string output = (folder.path() / "out.json").string();
  const std::string file = folder.write("file", "");
  for (const std::string& options :
       {"--calibrate --shapes 16 --keep-samples " + file + "/samples.csv --output " + output,
        "--calibrate --shapes 16 --output " + file + "/out.json",
        "--kernel tiled --size 32 --samples 1 --output " + file + "/out.json"}) {
    const Finished finished = run_program(command(options));
    INFO(options << finished.out << finished.err);
    CHECK(finished.status == 1);
    CHECK(test::contains(finished.err, "cannot write '" + file));
    CHECK(finished.out.empty());
    CHECK_FALSE(std::filesystem::exists(output));
  }
}

TEST_CASE("a second run for the same output is refused") {
  const TemporaryFolder folder;
  const ScopedVariable fake("CLGEMM_TUNE_FAKE_TIMES", "1");
  const std::string output = (folder.path() / "out.json").string();
  std::filesystem::create_directory(output + ".programs");
  const int first = open((output + ".programs").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(flock(first, LOCK_EX) == 0);
  const std::string run = command("--kernel tiled --size 32 --samples 1 --output " + output);
  const Finished refused = run_program(run);
  CHECK(refused.status == 1);
  CHECK(test::contains(refused.err, "another clgemm-tune is working on '" + output + "'"));
  CHECK(std::filesystem::exists(output + ".programs"));
  close(first);
  CHECK(run_program(run).status == 0);
  CHECK_FALSE(std::filesystem::exists(output + ".programs"));
}

TEST_CASE("a file without tuning data is not overwritten") {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> notes[] = {
      {"my notes\n", "precious.json' exists but is not JSON: line 1, column 1\n"},
      {"{\n  \"a\": 1;\n}\n", "precious.json' exists but is not JSON: line 2, column 9\n"},
      {"", "precious.json' exists but is not JSON: line 1, column 1\n"},
      {"{}", "precious.json' exists but has no tuning data"}};
  for (const auto& [text, said] : notes) {
    const std::string path = folder.write("precious.json", text);
    const Finished finished = run_program(command("--kernel tiled --samples 1 --size 32 --output " + path));
    INFO(finished.err);
    CHECK(finished.status == 1);
    CHECK(test::contains(finished.err, said));
    CHECK(text_of_file(path) == text);
    CHECK(journal_of(path).empty());
  }
}

TEST_CASE("the programs prepared for an H200 are nearly all that shapes of another seed need") {
  const Device device = test::made_up_h200();
  NeededPrograms programs(device, {});
  programs.add(called_shapes(device.kind, 768, 1));
  const std::size_t prepared = programs.count();
  const std::vector<SgemmShape> others = called_shapes(device.kind, 64, 99);
  const std::size_t calls = others.size();
  const std::size_t waiting = programs.add(others).size();
  CAPTURE(prepared, calls, waiting);
  CHECK(prepared > 200);
  CHECK(waiting * 50 < calls);
}

// If this fails after a change of a kernel, kernels/precompiled/README.md says what to do.
TEST_CASE("the precompiled programs are those that an H200 needs") {
#ifdef CLGEMM_PRECOMPILED
  const Device device = test::made_up_h200();
  NeededPrograms programs(device, {});
  programs.add(called_shapes(device.kind, 2000, 1));
  std::map<std::string, std::set<std::string>> needed;  // hashes by file
  std::map<std::string, std::pair<int, int>>
      counts;  // by kernel: how many programs there are, and are needed
  int spilling = 0;
  programs.for_each([&](const KernelConfig& config) {
    needed[precompiled_file(config)].insert(precompiled_hash(config));
    const auto [program, spilled] = precompiled_program(config);
    auto& [found, all] = counts[config.manifest().name];
    ++all;
    if (program.empty()) return;
    ++found;
    if (spilled != 0) ++spilling;
    CHECK(test::is_cubin_for_hopper(std::string(program.begin(), program.end())));
    CHECK(precompiled_version(config) != 0);
    CHECK(test::contains(ProgramCache::disk_key(device, config),
                         fmt::format("\n{:x}\n", precompiled_version(config))));
  });
  CHECK(spilling > 0);
  for (const EmbeddedFile& file : precompiled_programs()) {
    INFO(file.path);
    CHECK(needed.count(std::string(file.path)) == 1);
    const std::string content = decompressed(file.text);
    CHECK(content.starts_with(precompiled_mark));
    for (std::size_t at = 0; at < content.size(); at = content.find(precompiled_mark, at + 1)) {
      const std::size_t hash = at + precompiled_mark.size();
      CHECK(needed[std::string(file.path)].count(content.substr(hash, content.find(' ', hash) - hash)) == 1);
    }
  }
  for (const auto& [kernel, count] : counts) {
    CAPTURE(kernel, count.first, count.second);
    if (count.first == 0) WARN("there are no precompiled programs of " << kernel);
    if (count.first != 0) CHECK(count.first * 100 >= count.second * 98);
  }
#else
  WARN("NOT TESTED: clgemm was built without precompiled programs");
#endif
}

TEST_CASE("--prepare keeps a program for each kind of call, and prints the folder") {
  const TemporaryFolder cache;
  const std::string variables = fmt::format("CLGEMM_PROBE=0 CLGEMM_CACHE_DIR='{}'", cache.path().string());
  const Finished first = run_program(command("--prepare --shapes 12", variables));
  CAPTURE(first.out, first.err);
  REQUIRE(first.status == 0);
  const std::size_t programs = std::stoul(first.out);
  CHECK(programs > 3);
  const auto kept = std::distance(std::filesystem::directory_iterator(cache.path()), {});
  CHECK(static_cast<std::size_t>(kept) == programs);
  CHECK(first.out.find(cache.path().string()) != std::string::npos);
  const Finished off = run_program(command("--prepare --shapes 12", "CLGEMM_CACHE=0"));
  CHECK(off.status == 2);
  CHECK(off.err.find("--prepare has no folder for compiled programs") != std::string::npos);
  const Finished useless = run_program(command("--prepare --budget 3"));
  CHECK(useless.status == 2);
  CHECK(useless.err.find("--prepare measures nothing; --budget has no effect") != std::string::npos);
  const Finished alone = run_program(command("--calibrate --keep-programs programs"));
  CHECK(alone.status == 2);
  CHECK(alone.err.find("--keep-programs needs --prepare") != std::string::npos);
  const Finished kept_none = run_program(command(
      fmt::format("--prepare --shapes 12 --keep-programs '{}/programs'", cache.path().string()), variables));
  if (test::contains(first.out, "NVIDIA")) {
    CHECK(kept_none.status == 0);
  } else {
    CHECK(kept_none.status == 2);
    CHECK(test::contains(kept_none.err, "--keep-programs needs an NVIDIA GPU"));
  }
  const Finished old_folder = run_program(
      command(fmt::format("--prepare --shapes 12 --keep-programs '{}'", cache.path().string()), variables));
  CHECK(old_folder.status == 2);
  CHECK(test::contains(old_folder.err, "already exists"));
}

}  // namespace
}  // namespace clgemm::tune
