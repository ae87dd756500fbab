// Tuning data is read, written and looked up, and ignored if it is not usable.
#include "choose/tuning.hpp"

#include <algorithm>

#include "base/user_folders.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning_files.hpp"
#include "choose/tuning_json.hpp"
#include "plan/blocks.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/shipped.hpp"
#include "support/system.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::ScopedVariable;
using test::TemporaryFolder;
using test::tight;

TunedEntry entry_of(const GemmSize& size, const std::string& kernel, const Parameters& parameters = {}) {
  TunedEntry entry;
  entry.size = size;
  entry.config = {kernel, parameters};
  entry.seconds = 1e-3;
  return entry;
}

TuningFile file_of(const Device& device, std::vector<TunedEntry> entries,
                   const std::string& path = "here.json") {
  return {path, tuned_device(device), {}, {}, std::move(entries)};
}

// Returns a file's text with an entry for squares of 1024 that names this kernel.
std::string text_of(const Device& device, const std::string& kernel, const Parameters& parameters = {}) {
  return write_tuning(file_of(device, {entry_of({1024, 1024, 1024}, kernel, parameters)}));
}

// Returns the first choice for a square of 1024 with the data that the environment names.
Candidate first_choice(const Device& device, const Problem& problem = tight(1024, 1024, 1024)) {
  ConfigCache configs(device, {});
  return rank_candidates(problem, configs, tuning_from_environment(), default_scratch_limit(device))
      .candidates.front();
}

// Returns a path as it is listed for its folder: on Windows, with "\\".
std::string as_listed(const std::string& path) {
  return std::filesystem::path(path).make_preferred().string();
}

// Hides the machine's own settings.
struct NoSettings {
  TemporaryFolder folder;
  ScopedVariable config{"XDG_CONFIG_HOME", folder.path()};
  ScopedVariable tuning{"CLGEMM_TUNING", nullptr};
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("written data are read back, and the faster of two entries of a shape counts") {
  TuningFile file = file_of(test::made_up_gpu(), {entry_of({1024, 1024, 1024}, "block_2d", {{"BM", 64}})});
  file.measured.push_back(entry_of({128, 128, 65536}, "direct"));
  file.measured.back().transpose_b = true;
  file.rates = Rates{};
  file.rates->unhidden = 0.25;
  file.rates->repeated = 0.5;
  file.rates->pass_seconds = 1.5e-6;
  file.rates->uneven = 0.125;
  file.rates->cached_bytes = 45e6;
  file.configs = {
      {{"direct", {{"BM", 64}}}, {1e-6, 2e-9, 3e-9, 4, 5.0, 1.5, 0.75, 1.25, 1.75, 2e-7, 0.375}, 0.25, 58}};
  const std::string text = write_tuning(file);
  const TuningFile back = parse_tuning(text, "back.json");
  CHECK(write_tuning(back) == text);
  REQUIRE(back.measured.size() == 2);
  CHECK(back.measured[0].transpose_b);
  CHECK(back.measured[1].config.parameters == Parameters{{"BM", 64}});
  CHECK(back.device.name == test::made_up_gpu().name);
  CHECK(back.device.compute_units == test::made_up_gpu().compute_units);
  REQUIRE(back.configs.size() == 1);
  CHECK(back.configs[0].config == file.configs[0].config);
  CHECK(back.configs[0].speed.residents == 4);
  CHECK(back.configs[0].speed.unaligned == 1.5);
  CHECK(back.configs[0].speed.transposed_a == 0.75);
  CHECK(back.configs[0].speed.transposed_b == 1.25);
  CHECK(back.configs[0].speed.uncached == 1.75);
  CHECK(back.configs[0].speed.part == Approx(2e-7));
  CHECK(back.configs[0].speed.repeated == 0.375);
  CHECK_ERROR([&] { parse_tuning(replaced(text, "\"repeated\":0.375", "\"repeated\":1.01"), ""); },
              invalid_argument, "at most 1");
  CHECK(back.configs[0].speed.share == Approx(3e-9));
  CHECK(back.configs[0].shapes == 58);
  CHECK(back.rates->unhidden == 0.25);
  CHECK(back.rates->repeated == 0.5);
  CHECK(back.rates->pass_seconds == 1.5e-6);
  CHECK(back.rates->uneven == 0.125);
  CHECK(back.rates->cached_bytes == 45e6);

  const std::string twice = replaced(text, "\"measured\": [", R"("measured": [
    {"m":1024,"n":1024,"k":1024,"transposes":"nn","kernel":"wpt","parameters":{},"median_ms":0.1},)");
  const TuningFile faster = parse_tuning(twice, "twice.json");
  REQUIRE(faster.measured.size() == 2);
  CHECK(faster.measured[1].config.kernel == "wpt");
}

TEST_CASE("files without tuning data are refused, with the reason") {
  const std::string good = text_of(test::made_up_gpu(), "block_2d");
  CHECK_NOTHROW(parse_tuning(good, ""));
  const auto refused = [&](const std::string& text, const std::string& why) {
    CHECK_ERROR([&] { parse_tuning(text, ""); }, invalid_argument, why);
  };
  refused("", "parse error");
  refused("[]", "it is not a JSON object");
  refused("{}", "clgemm_tuning");
  refused(good.substr(0, good.size() / 2), "parse error");
  refused(replaced(good, "\"clgemm_tuning\": 2", "\"clgemm_tuning\": 0"), "schema 0");
  refused(replaced(good, "\"clgemm_tuning\": 2", "\"clgemm_tuning\": 1"), "schema 1");
  refused(replaced(good, "\"clgemm_tuning\": 2", "\"clgemm_tuning\": 1e300"), "'clgemm_tuning' is 1e+300");
  refused(replaced(good, "\"median_ms\":1.0", "\"median_ms\":1e300"), "'median_ms' is 1e+300");
  refused(replaced(good, "\"median_ms\":1.0", "\"median_ms\":\"1\""),
          "'median_ms' is \"1\"; it must be a number");
  refused(replaced(good, "\"m\":1024", "\"m\":0"), "'m' is 0");
  refused(replaced(good, "\"m\":1024", "\"m\":\"1024\""), "must be an integer");
  refused(replaced(good, "\"m\":1024", "\"m\":128.9"), "'m' is 128.9; it must be an integer");
  refused(replaced(good, "\"parameters\":{}", "\"parameters\":{\"BM\":64.5}"), "'BM' is 64.5");
  refused(replaced(good, "\"block_2d\"", "\"./evil.cl\""), "name of a kernel");
  refused(replaced(good, "\"block_2d\"", "\"evil\\u001b[2J\""), "name of a kernel");
  const std::string nested = std::string(100000, '[') + std::string(100000, ']');
  refused(replaced(good, "\"m\":1024", "\"m\":" + nested), "nested too deeply");
  refused(replaced(good, "\"median_ms\":1.0", "\"median_ms\":0.0"), "median_ms");
  refused(replaced(good, "\"nn\"", "\"xx\""), "transposes");
}

TEST_CASE("shares among the rates are at most 1, and rates that an older file lacks keep their defaults") {
  TuningFile file = file_of(test::made_up_gpu(), {});
  file.rates = Rates{};
  const std::string good = write_tuning(file);
  for (const char* part : {"\"unhidden\":0.01", "\"repeated\":1.0", "\"uneven\":0.0"}) {
    const std::string name(part, std::string_view(part).find(':') + 1);
    CHECK_ERROR([&] { parse_tuning(replaced(good, part, name + "1.01"), ""); }, invalid_argument,
                "at most 1");
  }
  const std::string older = replaced(good, ",\"repeated\":1.0,\"pass_us\":0.0,\"uneven\":0.0", "");
  const Rates rates = *parse_tuning(older, "").rates;
  CHECK(rates.repeated == 1.0);
  CHECK(rates.pass_seconds == rates.start_seconds);  // the reduce kernel waited for it
  CHECK(rates.uneven == 0.0);
}

TEST_CASE("the rates include those of the link, with defaults for files without them") {
  TuningFile file = file_of(test::made_up_gpu(), {});
  file.rates = Rates{};
  CHECK_FALSE(test::contains(write_tuning(file), "to_device_gb_s"));
  CHECK(parse_tuning(write_tuning(file), "").rates->host == HostRates{});
  file.rates->host.call_seconds = 3e-5;  // the only measured rate on a device in the host's memory
  CHECK(test::contains(write_tuning(file), "\"host_call_us\":30.0"));
  CHECK_FALSE(test::contains(write_tuning(file), "to_device_gb_s"));
  file.rates->multiply_adds = 2e12;
  file.rates->host = {12e9, 11e9, 10e9, 5e9, 3e-5};
  const Rates rates = *parse_tuning(write_tuning(file), "").rates;
  CHECK(rates.multiply_adds == Approx(2e12));
  CHECK(rates.host.to_device == Approx(12e9));
  CHECK(rates.host.from_device == Approx(11e9));
  CHECK(rates.host.streamed == Approx(10e9));
  CHECK(rates.host.copied == Approx(5e9));
  CHECK(rates.host.call_seconds == Approx(3e-5));
  const std::string wrong = replaced(write_tuning(file), "\"copied_gb_s\":5.0", "\"copied_gb_s\":0");
  CHECK_ERROR([&] { parse_tuning(wrong, ""); }, invalid_argument, "copied_gb_s");
}

TEST_CASE("the data are those of the same device, or of its family, or of another device of its kind") {
  const Device gpu = test::made_up_gpu();
  Device sister = gpu;
  sister.name = "made-up GPU Max";
  Device stranger = gpu;
  stranger.name = stranger.vendor = "another";
  Device wider = sister;
  wider.native_float_width = 4;
  CHECK(kinship(tuned_device(gpu), gpu) == Kinship::same);
  CHECK(kinship(tuned_device(sister), gpu) == Kinship::family);
  CHECK(kinship(tuned_device(stranger), gpu) == Kinship::stranger);
  CHECK(kinship(tuned_device(wider), gpu) == Kinship::stranger);
  CHECK(kinship(tuned_device(test::made_up_cpu()), gpu) == Kinship::none);

  const auto with_rows = [](const Device& device, const char* path) {
    TuningFile file = file_of(device, {}, path);
    file.rates = Rates{};
    return file;
  };
  const auto path_of = [&gpu](std::vector<TuningFile> files) {
    const Tuning tuning(std::move(files));
    const std::vector<SpeedTable> tables = tuning.tables(gpu);
    return tables.empty() ? std::string("none") : tables.front().file->path;
  };
  const TuningFile own = with_rows(gpu, "own");
  const TuningFile family = with_rows(sister, "family");
  const TuningFile foreign = with_rows(stranger, "foreign");
  const TuningFile cpu = with_rows(test::made_up_cpu(), "cpu");
  CHECK(path_of({cpu, foreign, family, own}) == "own");
  CHECK(path_of({cpu, foreign, family}) == "family");
  CHECK(path_of({cpu, foreign}) == "foreign");
  CHECK(path_of({cpu}) == "none");
  CHECK(path_of({file_of(gpu, {}, "without rows"), family}) == "family");

  sister.clock_mhz = 2 * gpu.clock_mhz;
  sister.compute_units = gpu.compute_units / 2;
  const Tuning faster({with_rows(sister, "faster")});
  CHECK(faster.tables(gpu).front().slower == Approx(2.0));
  CHECK(faster.tables(gpu).front().rates.bytes == Approx(Rates{}.bytes));
}

TEST_CASE("a measurement serves only its own shape with the same alignment") {
  const Device gpu = test::made_up_gpu();
  const Tuning tuning({file_of(gpu, {entry_of({1024, 1024, 1024}, "direct")})});
  CHECK_FALSE(tuning.measured(tight(1024, 1024, 1024), gpu).empty());
  CHECK(tuning.measured(tight(1024, 1024, 1023), gpu).empty());
  Problem gap = tight(1024, 1024, 1024);
  gap.b.ld = 1027;  // rows that are not aligned to four elements
  CHECK(tuning.measured(gap, gpu).empty());
  gap = tight(1024, 1023, 1024);  // when it was measured, those of B were not aligned, but those of A were
  const Tuning of_a({file_of(gpu, {entry_of({1024, 1023, 1024}, "direct")})});
  gap.b.ld = 1027;
  CHECK(of_a.measured(gap, gpu).size() == 1);
  gap.a.ld = 1027;
  CHECK(of_a.measured(gap, gpu).empty());
  Problem transposed = tight(1024, 1024, 1024);
  transposed.b.transposed = true;
  CHECK(tuning.measured(transposed, gpu).empty());
  Problem batch = tight(1024, 1024, 1024);
  batch.batch_count = 2;
  CHECK(tuning.measured(batch, gpu).empty());
  Device sister = gpu;
  sister.name = "made-up GPU Max";
  CHECK(tuning.measured(tight(1024, 1024, 1024), sister).empty());
}

TEST_CASE("a config measured without a number of slices runs with the best number, as it was timed") {
  const NoSettings none;
  const Device gpu = test::made_up_h200();
  const auto parts_of = [&](const Parameters& more) {
    Parameters parameters = {{"BM", 64}, {"BN", 64}, {"TM", 8}, {"TN", 8}, {"DEPTH", 8}, {"COPIES", 2}};
    parameters.insert(more.begin(), more.end());
    none.folder.write("clgemm/tuning/nvidia_h200.json",
                      write_tuning(file_of(gpu, {entry_of({64, 64, 8192}, "direct", parameters)})));
    const Candidate first = first_choice(gpu, tight(64, 64, 8192));
    CHECK(first.origin.source == Source::measured);
    return first.config.parameters.at(split_parameter);
  };
  CHECK(parts_of({}) > 1);
  CHECK(parts_of({{split_parameter, 3}}) == 3);
}

TEST_CASE("a measurement with a smaller k than the kernel is chosen for is not used") {
  const NoSettings none;
  const Device gpu = test::made_up_h200();
  const auto source = [&](std::size_t k) {
    none.folder.write("clgemm/tuning/nvidia_h200.json",
                      write_tuning(file_of(gpu, {entry_of({4096, 4096, k}, "fp16x3_wgmma")})));
    return first_choice(gpu, tight(4096, 4096, k)).origin.source;
  };
  CHECK(source(32) == Source::measured);
  CHECK(source(31) != Source::measured);
}

// On an H200, the model once took a config that ran at 12.0 TFLOP/s for this shape, although a search had
// found one of 17.0.
TEST_CASE("a measured config runs, even if the model predicts less time for another config") {
  const NoSettings none;
  const Device gpu = test::made_up_h200();
  const Problem problem = tight(6958, 4161, 36);
  const Candidate estimated = first_choice(gpu, problem);
  CHECK(estimated.origin.source == Source::fitted_on_device);

  TunedEntry found = entry_of({6958, 4161, 36}, "direct",
                              {{"BM", 128},
                               {"BN", 64},
                               {"TM", 8},
                               {"TN", 8},
                               {"DEPTH", 8},
                               {"SLICES", 1},
                               {"COPIES", 2},
                               {split_parameter, 1}});
  found.seconds = 2.0 * 6958 * 4161 * 36 / 17.0e12;
  REQUIRE(estimated.config != found.config);
  REQUIRE(*estimated.seconds < found.seconds);
  const std::string path =
      as_listed(none.folder.write("clgemm/tuning/nvidia_h200.json", write_tuning(file_of(gpu, {found}))));
  const Candidate first = first_choice(gpu, problem);
  CHECK(first.config == found.config);
  CHECK(*first.seconds == Approx(found.seconds));
  CHECK(to_string(first.origin) == "measured: " + path + ", 6958 x 4161 x 36, 1.7e+04 GFLOPS there");

  ConfigCache configs(gpu, {});
  const auto all = rank_candidates(problem, configs, tuning_from_environment(), test::no_limit).candidates;
  CHECK(std::any_of(all.begin() + 1, all.end(),
                    [&](const Candidate& one) { return one.config == estimated.config; }));
  CHECK(first_choice(gpu, tight(6958, 4161, 37)).origin.source == Source::fitted_on_device);
}

TEST_CASE("CLGEMM_TUNING is preferred to the user's folder, and the user's folder to the built-in data") {
  const NoSettings none;
  const Device gpu = test::made_up_gpu();
  const std::string by_model = first_choice(gpu).config.kernel;
  CHECK(test::contains(to_string(first_choice(gpu).origin), "from the speed model"));
  CHECK(by_model != "wpt");

  const std::string users = as_listed(none.folder.write("clgemm/tuning/gpu.json", text_of(gpu, "wpt")));
  CHECK(first_choice(gpu).config.kernel == "wpt");
  CHECK(test::contains(to_string(first_choice(gpu).origin), users));
  CHECK(test::contains(to_string(first_choice(gpu).origin), "1024 x 1024 x 1024"));
  CHECK(first_choice(test::made_up_cpu()).config.kernel == "panels");

  {
    const TemporaryFolder home;
    const ScopedVariable no_config("XDG_CONFIG_HOME", nullptr);
    const ScopedVariable at_home(home_variable, home.path());
    const std::string place = user_tuning_folder().lexically_relative(home.path()).generic_string();
    home.write(place + "/gpu.json", text_of(gpu, "tiled"));
    home.write(place + "/remarks.txt", "no tuning data");
    CHECK(first_choice(gpu).config.kernel == "tiled");
    const ScopedVariable nowhere(home_variable, nullptr);
    CHECK(first_choice(gpu).config.kernel == by_model);
  }

  const TemporaryFolder other;
  const std::string file = other.write("a.json", text_of(gpu, "tiled", {{"TS", 8}}));
  {
    const ScopedVariable named("CLGEMM_TUNING", file.c_str());
    CHECK(first_choice(gpu).config.kernel == "tiled");
    CHECK(first_choice(gpu).config.parameters == Parameters{{"TS", 8}});
  }
  {
    const ScopedVariable named("CLGEMM_TUNING", other.path());
    CHECK(first_choice(gpu).config.kernel == "tiled");
  }
  {
    const ScopedVariable off("CLGEMM_TUNING", "0");
    CHECK(first_choice(gpu).config.kernel == by_model);
  }
}

TEST_CASE("a file that is damaged, for another device or not the user's own is skipped") {
  const NoSettings none;
  const Device gpu = test::made_up_gpu();
  const std::string by_model = first_choice(gpu).config.kernel;
  const std::string good = text_of(gpu, "wpt");
  const auto choice_with = [&](const std::string& text) {
    none.folder.write("clgemm/tuning/gpu.json", text);
    return first_choice(gpu).config.kernel;
  };
  CHECK(choice_with(good) == "wpt");
  CHECK(choice_with("") == by_model);
  CHECK(choice_with("not JSON") == by_model);
  CHECK(choice_with(std::string(1000000, '[')) == by_model);
  CHECK(choice_with(good + std::string(std::size_t{4} << 20, ' ')) == by_model);  // larger than any file
  CHECK(choice_with(replaced(good, "\"clgemm_tuning\": 2", "\"clgemm_tuning\": 99")) == by_model);
  CHECK(choice_with(replaced(good, gpu.name, "another device")) == by_model);
  CHECK(choice_with(text_of(test::made_up_cpu(), "wpt")) == by_model);

  const std::string path = none.folder.write("clgemm/tuning/gpu.json", good);
  CHECK(first_choice(gpu).config.kernel == "wpt");
  REQUIRE(test::let_write(test::Others::everybody, path));
  CHECK(first_choice(gpu).config.kernel == by_model);
  std::filesystem::remove(path);
  none.folder.write("clgemm/tuning/gpu.json", good);
  const std::string pipe = (none.folder.path() / "pipe\x1b[2J\nx.json").string();
  test::make_pipe_file(pipe);  // if the system cannot make it, there is no file of this name
  std::vector<std::string> unreadable = test::endless_files();
  unreadable.insert(unreadable.end(), {"/no/such/file.json", pipe});
  for (const std::string& named : unreadable) {
    const ScopedVariable nowhere("CLGEMM_TUNING", named.c_str());
    CHECK(first_choice(gpu).config.kernel == "wpt");
    const std::vector<std::string> said = tuning_from_environment().passed_over();
    REQUIRE(said.size() == 1);
    CHECK(said.front().find_first_of("\x1b\n") == std::string::npos);
  }
}

TEST_CASE("a config that this device or library does not have is replaced by the next one") {
  const NoSettings none;
  const Device gpu = test::made_up_gpu();
  const Device small = test::made_up_gpu_256();
  const std::string by_model = first_choice(gpu).config.kernel;
  const auto choice_with = [&](const Device& device, const std::string& kernel,
                               const Parameters& parameters) {
    none.folder.write("clgemm/tuning/gpu.json", text_of(device, kernel, parameters));
    return first_choice(device).config.kernel;
  };
  CHECK(choice_with(gpu, "no_such_kernel", {}) == by_model);
  CHECK(choice_with(gpu, "scale", {}) == by_model);
  CHECK(choice_with(gpu, "wpt", {{"TS", 33}}) == by_model);
  CHECK(choice_with(gpu, "wpt", {{"NO_SUCH", 8}}) == by_model);
  CHECK(choice_with(gpu, "panels", {}) == by_model);  // requires a CPU
  CHECK(choice_with(gpu, "vector", {{"TS", 64}, {"WIDTH", 4}}) == "vector");
  CHECK(choice_with(small, "vector", {{"TS", 64}, {"WIDTH", 4}}) != "vector");  // 1024 work-items
}

TEST_CASE("unknown rows and entries do not affect the ones after them") {
  const NoSettings none;
  Device cpu = test::made_up_cpu();
  cpu.platform_name = "Portable Computing Language";
  cpu.native_float_width = 16;
  const Problem problem = tight(613, 457, 389);
  const std::string shipped = to_string(first_choice(cpu, problem).origin);
  REQUIRE(test::contains(shipped, "pocl_avx512_zen5.json"));
  TuningFile file;
  file.device = tuned_device(cpu);
  file.rates = Rates{};
  file.configs = {{{"panels", {{"NO_SUCH", 8}}}, ConfigSpeed{1e-6, 1e-11, 1e-11, 1}, 0.1, 10}};
  none.folder.write("clgemm/tuning/a.json", write_tuning(file));
  CHECK(to_string(first_choice(cpu, problem).origin) == shipped);
  file.rates = std::nullopt;
  file.configs.clear();
  file.measured = {{{613, 457, 389}, false, false, {"panels", {{"NO_SUCH", 8}}}, 1e-3, {}}};
  none.folder.write("clgemm/tuning/a.json", write_tuning(file));
  file.measured.front().config = {"wpt", {}};
  none.folder.write("clgemm/tuning/b.json", write_tuning(file));
  CHECK(first_choice(cpu, problem).config.kernel == "wpt");
}

TEST_CASE("an entry of a named space of configs is found only by the name of the space") {
  const Device gpu = test::made_up_gpu();
  TunedEntry part = entry_of({1024, 1024, 1024}, "tiled");
  part.space = "some";
  TunedEntry far = part;
  far.size = {64, 64, 64};
  const TuningFile back = parse_tuning(write_tuning(file_of(gpu, {part, far})), "");
  REQUIRE(back.measured.size() == 2);
  CHECK(back.measured[0].space == "some");
  const Tuning tuning({back});
  CHECK(tuning.measured(tight(1024, 1024, 1024), gpu).empty());
  REQUIRE(tuning.of_space("some", {2000, 2000, 2000}, gpu) != nullptr);
  CHECK(tuning.of_space("some", {2000, 2000, 2000}, gpu)->size.m == 1024);
  CHECK(tuning.of_space("other", {2000, 2000, 2000}, gpu) == nullptr);
  CHECK(tuning.of_space("some", {2000, 2000, 2000}, test::made_up_cpu()) == nullptr);
}

TEST_CASE("a CPU uses the built-in data for its platform and vector width, or the most similar ones") {
  const NoSettings none;
  Device cpu = test::made_up_cpu();
  const auto reason_with = [&](std::size_t width) {
    cpu.native_float_width = width;
    return to_string(first_choice(cpu, tight(16, 2048, 2048)).origin);
  };
  cpu.platform_name = "Portable Computing Language";
  CHECK(test::contains(reason_with(8), "pocl_avx2_zen5.json"));
  CHECK(test::contains(reason_with(16), "pocl_avx512_zen5.json"));
  CHECK(test::contains(reason_with(8), "of the same family"));
  CHECK(test::contains(reason_with(4), "not related"));
  CHECK(test::contains(reason_with(4), "pocl_avx2_zen5.json"));
  cpu.platform_name = "Intel(R) OpenCL";
  CHECK(test::contains(reason_with(16), "intel_avx512_zen5.json"));
  CHECK(test::contains(reason_with(16), "of the same family"));
  CHECK(test::contains(reason_with(8), "pocl_avx2_zen5.json"));
  CHECK(test::contains(reason_with(8), "not related"));
}

// Returns a file with rows of `direct` on this device.
TuningFile file_with_rows(const Device& device) {
  TuningFile file = file_of(device, {});
  file.rates = Rates{};
  file.configs.push_back({{"direct", {}}, {1e-6, 2e-9, 1e-9, 4, 0.0, 1.0}, 0.1, 20});
  return file;
}

SpeedTable table_for(const Device& device, const TuningFile& file, const std::optional<Probed>& probed = {}) {
  static std::vector<Tuning> kept;  // the tables refer to it
  kept.reserve(100);
  kept.emplace_back(std::vector{file});
  if (probed) kept.back().scale_by(*probed);
  return kept.back().tables(device).at(0);
}

TEST_CASE("rows of another device are scaled by the probes of both devices, not by data sheets") {
  const Device there = test::made_up_cpu();
  Device here = there;
  here.name = "another CPU";
  here.compute_units = 2 * there.compute_units;
  TuningFile file = file_with_rows(there);
  const Probed probed_here{6e11, 30e9};
  // The result of a probe on that device is unknown.
  CHECK(table_for(here, file, probed_here).slower == table_for(here, file).slower);
  CHECK_FALSE(gain_by_probe(table_for(here, file), here.kind));

  file.device.probed = Probed{1e11, 10e9};
  CHECK(gain_by_probe(table_for(here, file), here.kind));
  CHECK_FALSE(gain_by_probe(table_for(there, file), there.kind));  // its own rows
  const SpeedTable by_facts = table_for(here, file);
  CHECK(by_facts.slower == 1.0);
  const SpeedTable by_probe = table_for(here, file, probed_here);
  CHECK(by_probe.slower == Approx(1.0 / 3.0));  // six times as fast, by twice as many cores
  CHECK(by_probe.rates.bytes == Approx(3.0 * file.rates->bytes));
  CHECK(by_probe.rates.packing_bytes == Approx(3.0 * file.rates->packing_bytes));
  CHECK(by_probe.rates.adding_bytes == Approx(3.0 * file.rates->adding_bytes));
  CHECK(table_for(there, file, probed_here).slower == 1.0);

  // Rows for vectors of 4 have the same times on a CPU with wider ones.
  Device wide = here;
  wide.native_float_width = 4 * there.native_float_width;
  CHECK(table_for(wide, file, Probed{4 * 6e11, 30e9}).slower == Approx(1.0 / 3.0));
}

TEST_CASE("copying into local memory takes longer on a GPU whose local memory is a part of global memory") {
  Device here = test::made_up_gpu();
  here.name = "another GPU";
  here.vendor = "another";
  const TuningFile file = file_with_rows(test::made_up_gpu());
  ConfigCache configs(here, {});
  // Returns how much longer a step takes than on a device whose cores have local memory of their own.
  const auto longer_on = [&](Device device, const char* kernel, const Parameters& values) {
    const auto speed = [&] {
      const SpeedTable table = table_for(device, file);
      return table.speed_of(table.rows().front(), *configs.get(kernel, values));
    };
    const ConfigSpeed own = speed();
    device.local_in_global = true;
    const ConfigSpeed shared = speed();
    CHECK(shared.begin == own.begin);
    CHECK(shared.alone - own.alone == Approx(shared.share - own.share));
    return shared.share - own.share;
  };
  Device shared = here;
  shared.local_in_global = true;
  const double bytes = peaks_of(shared).local_cache_bytes;
  REQUIRE(bytes > 0.0);
  // 32 floats of A and 32 of B are written and read back, with 4 bytes each.
  CHECK(longer_on(here, "direct", {}) == Approx(64 * 2 * 4 / bytes));
  CHECK(longer_on(here, "direct", {{"BM", 64}}) == Approx(96 * 2 * 4 / bytes));
  CHECK(longer_on(here, "coalesced", {}) == 0.0);

  // The measured rates of a relative, or of the device itself, contain this time already.
  Device relative = test::made_up_gpu();
  relative.name = "another GPU";
  CHECK(table_for(relative, file).kin == Kinship::family);
  CHECK(longer_on(relative, "direct", {}) == 0.0);
  CHECK(table_for(test::made_up_gpu(), file).kin == Kinship::same);
  CHECK(longer_on(test::made_up_gpu(), "direct", {}) == 0.0);
}

TEST_CASE(
    "a device's best rate is measured, scaled, or its peak; its link is measured by the probe if there is "
    "one") {
  const Device there = test::made_up_h200();
  Device here = there;
  here.name = "half an H200";
  here.compute_units = there.compute_units / 2;
  TuningFile file = file_with_rows(there);
  CHECK(table_for(there, file).rates.multiply_adds == Approx(peaks_of(there).of_device()));
  file.rates->multiply_adds = 95e12;
  file.rates->host.to_device = 40e9;
  CHECK(table_for(there, file).rates.multiply_adds == 95e12);
  CHECK(table_for(here, file).rates.multiply_adds == Approx(95e12 / 2));
  CHECK(table_for(here, file).rates.host.to_device == 40e9);
  Probed probed{peaks_of(here).of_device(), peaks_of(here).bytes};
  CHECK(table_for(here, file, probed).rates.host.to_device == 40e9);
  probed.host = HostRates{12e9, 11e9, 10e9, 5e9};
  CHECK(table_for(here, file, probed).rates.host == *probed.host);
  CHECK(table_for(there, file, probed).rates.host.to_device == 40e9);  // it has its own rows
}

TEST_CASE(
    "a probe of a GPU of a known family is used up to the peak of its data sheet, and not if it is far "
    "below") {
  Device h100 = test::made_up_h200();
  h100.name = "NVIDIA H100";
  const DevicePeaks facts = peaks_of(h100);
  const double all = facts.multiply_adds * static_cast<double>(facts.cores);
  CHECK(peaks_of(h100, Probed{0.9 * all, facts.bytes}).multiply_adds == Approx(0.9 * facts.multiply_adds));
  const DevicePeaks too_good = peaks_of(h100, Probed{10 * all, 10 * facts.bytes});
  CHECK(too_good.multiply_adds == facts.multiply_adds);
  CHECK(too_good.bytes == 2 * facts.bytes);
  CHECK(is_plausible(Probed{0.6 * all, facts.bytes}, h100));
  CHECK_FALSE(is_plausible(Probed{0.4 * all, facts.bytes}, h100));
  Device unknown = test::made_up_gpu();
  CHECK(is_plausible(Probed{1e6, 1e6}, unknown));
  CHECK(peaks_of(unknown, Probed{1e15, 1e13}).bytes == 1e13);

  // Uses the file of the H200. Its family is known without a probe. No config exceeds the data sheet.
  TuningFile file = file_with_rows(test::made_up_h200());
  CHECK(gain_by_probe(table_for(h100, file), h100.kind));
  CHECK_FALSE(gain_by_probe(table_for(h100, file), DeviceKind::other));
  const SpeedTable fast = table_for(h100, file, Probed{10 * all, facts.bytes});
  CHECK(fast.slower == Approx(1.0));
  CHECK(fast.most_multiply_adds == facts.multiply_adds);
  const SpeedTable slow = table_for(h100, file, Probed{0.5 * all, facts.bytes});
  CHECK(slow.slower == Approx(2.0));
  CHECK(slow.most_multiply_adds == facts.multiply_adds);
  file.device.probed = Probed{0.5 * all, facts.bytes};
  CHECK(table_for(h100, file, Probed{0.25 * all, facts.bytes}).slower == Approx(2.0));
}

TEST_CASE("the result of a probe is written to the file, and read again") {
  TuningFile file = file_with_rows(test::made_up_gpu());
  CHECK_FALSE(test::contains(write_tuning(file), "probed"));
  CHECK_FALSE(parse_tuning(write_tuning(file), "x").device.probed);
  file.device.probed = Probed{2.5e12, 3e11};
  const TuningFile read = parse_tuning(write_tuning(file), "x");
  REQUIRE(read.device.probed);
  CHECK(read.device.probed->multiply_adds == Approx(2.5e12));
  CHECK(read.device.probed->bytes == Approx(3e11));
  const std::string wrong = replaced(write_tuning(file), "\"probed_gb_s\":300.0", "\"probed_gb_s\":0.0");
  CHECK_ERROR([&] { parse_tuning(wrong, "x"); }, invalid_argument, "probed_gb_s");
}

TEST_CASE("the built-in data have this schema") {
  for (const EmbeddedFile& file : embedded_tuning()) {
    INFO(file.path);
    const TuningFile parsed = parse_tuning(file.text, std::string(file.path));
    CHECK_FALSE((parsed.configs.empty() && parsed.measured.empty()));
    CHECK(write_tuning(parsed) == file.text);
  }
}

}  // namespace
}  // namespace clgemm
