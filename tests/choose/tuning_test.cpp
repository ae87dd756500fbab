// Tuning data: read, written, looked up, and left alone where it is of no use.
#include "choose/tuning.hpp"

#include <sys/stat.h>

#include "choose/ranking.hpp"
#include "choose/tuning_files.hpp"
#include "choose/tuning_json.hpp"
#include "plan/blocks.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::ScopedVariable;
using test::TemporaryFolder;
using test::tight;

TunedEntry entry_of(const ShapeSize& size, const std::string& kernel, const Parameters& parameters = {}) {
  TunedEntry entry;
  entry.size = size;
  entry.config = {kernel, parameters};
  entry.packs = true;
  entry.seconds = 1e-3;
  return entry;
}

TuningFile file_of(const Device& device, std::vector<TunedEntry> entries,
                   const std::string& path = "here.json") {
  return {path, tuned_device(device), std::move(entries)};
}

// A file's text whose entry for squares of 1024 names this kernel.
std::string text_of(const Device& device, const std::string& kernel, const Parameters& parameters = {}) {
  return write_tuning(file_of(device, {entry_of({1024, 1024, 1024}, kernel, parameters)}));
}

// The first choice for a square of 1024 with what the environment has.
Candidate first_choice(const Device& device, const Problem& problem = tight(1024, 1024, 1024)) {
  ConfigCache configs(device, {});
  return rank_candidates(problem, configs, tuning_from_environment(), default_scratch_limit(device))
      .candidates.front();
}

// Nothing of the machine's own shows.
struct NoSettings {
  TemporaryFolder folder;
  ScopedVariable config{"XDG_CONFIG_HOME", folder.path().c_str()};
  ScopedVariable tuning{"CLGEMM_TUNING", nullptr};
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("shapes have classes") {
  CHECK(shape_class({16, 4096, 4096}) == ShapeClass::thin_rows);
  CHECK(shape_class({4096, 1, 4096}) == ShapeClass::thin_columns);
  CHECK(shape_class({128, 128, 128}) == ShapeClass::small);
  CHECK(shape_class({128, 128, 65536}) == ShapeClass::deep);
  CHECK(shape_class({2048, 2048, 64}) == ShapeClass::flat);
  CHECK(shape_class({4096, 512, 1024}) == ShapeClass::tall);
  CHECK(shape_class({512, 4096, 1024}) == ShapeClass::wide);
  CHECK(shape_class({1024, 512, 2048}) == ShapeClass::square);
  CHECK(shape_key({1000, 1030, 90}) == "flat 10 10 6");
  CHECK(shape_key({8192, 8192, 8192}) == shape_key({4096, 4096, 4096}));
}

TEST_CASE("thin shapes are far from all others") {
  CHECK(distance({16, 4096, 4096}, {17, 4096, 4096}) > 1e9);
  CHECK(distance({16, 4096, 4096}, {8, 4096, 9999}) == 1.0);
  CHECK(distance({1024, 1024, 1024}, {1024, 512, 2048}) == 1.0);
}

TEST_CASE("what is written is read back, and the faster one of two entries of a class counts") {
  TuningFile file = file_of(test::made_up_gpu(), {entry_of({1024, 1024, 1024}, "block_2d", {{"BM", 64}})});
  file.entries.push_back(entry_of({128, 128, 65536}, "direct"));
  file.entries.back().packs = false;
  file.entries.back().transpose_b = true;
  const std::string text = write_tuning(file);
  const TuningFile back = parse_tuning(text, "back.json");
  CHECK(write_tuning(back) == text);
  REQUIRE(back.entries.size() == 2);
  CHECK(back.entries[0].transpose_b);
  CHECK_FALSE(back.entries[0].packs);
  CHECK(back.entries[1].config.parameters == Parameters{{"BM", 64}});
  CHECK(back.device.name == test::made_up_gpu().name);

  const std::string twice = replaced(text, "\"entries\": [", R"("entries": [
    {"m":1000,"n":1000,"k":1000,"transposes":"nn","kernel":"wpt","parameters":{},"packs":true,"median_ms":0.1},)");
  const TuningFile faster = parse_tuning(twice, "twice.json");
  REQUIRE(faster.entries.size() == 2);
  CHECK(faster.entries[1].config.kernel == "wpt");
}

TEST_CASE("what is no tuning data is refused, and it is said why") {
  const std::string good = text_of(test::made_up_gpu(), "block_2d");
  CHECK_NOTHROW(parse_tuning(good, ""));
  const auto refused = [&](const std::string& text, const std::string& why) {
    CHECK_ERROR([&] { parse_tuning(text, ""); }, invalid_argument, why);
  };
  refused("", "parse error");
  refused("[]", "array");
  refused("{}", "clgemm_tuning");
  refused(good.substr(0, good.size() / 2), "parse error");
  refused(replaced(good, "\"clgemm_tuning\": 1", "\"clgemm_tuning\": 0"), "schema 0");
  refused(replaced(good, "\"clgemm_tuning\": 1", "\"clgemm_tuning\": 2"), "schema 2");
  refused(replaced(good, "\"m\":1024", "\"m\":0"), "'m' is 0");
  refused(replaced(good, "\"m\":1024", "\"m\":\"1024\""), "must be an integer");
  refused(replaced(good, "\"m\":1024", "\"m\":128.9"), "'m' is 128.9; it must be an integer");
  refused(replaced(good, "\"parameters\":{}", "\"parameters\":{\"BM\":64.5}"), "'BM' is 64.5");
  refused(replaced(good, "\"block_2d\"", "\"./evil.cl\""), "name of a kernel");
  refused(replaced(good, "\"median_ms\":1.0", "\"median_ms\":0.0"), "median_ms");
  refused(replaced(good, "\"nn\"", "\"xx\""), "transposes");
}

TEST_CASE("the device by its name, else one of its family, else none") {
  const Device gpu = test::made_up_gpu();
  Device sister = gpu;
  sister.name = "made-up GPU Max";
  Device stranger = gpu;
  stranger.name = stranger.vendor = "another";
  Device wider = sister;
  wider.native_float_width = 4;
  CHECK(kinship(tuned_device(gpu), gpu) == Kinship::same);
  CHECK(kinship(tuned_device(sister), gpu) == Kinship::family);
  CHECK(kinship(tuned_device(stranger), gpu) == Kinship::none);
  CHECK(kinship(tuned_device(wider), gpu) == Kinship::none);
  Device cpu = test::made_up_cpu();
  cpu.platform_name = "one compiler";
  Device other_cpu = cpu;
  other_cpu.name = other_cpu.vendor = "another";
  CHECK(kinship(tuned_device(other_cpu), cpu) == Kinship::family);
  other_cpu.platform_name = "another compiler";
  CHECK(kinship(tuned_device(other_cpu), cpu) == Kinship::none);

  const ShapeSize square{1024, 1024, 1024};
  const Tuning tuning({file_of(stranger, {entry_of(square, "naive")}, "stranger.json"),
                       file_of(sister, {entry_of(square, "wpt")}, "sister.json"),
                       file_of(gpu, {entry_of({128, 128, 8192}, "tiled")}, "own.json")});
  const auto near = [&](std::size_t m, std::size_t n, std::size_t k) {
    return tuning.near(tight(m, n, k), gpu);
  };
  REQUIRE(near(1000, 1000, 1000).size() == 1);
  CHECK(near(1000, 1000, 1000)[0].entry->config.kernel == "wpt");
  CHECK(test::contains(near(1000, 1000, 1000)[0].origin.text, "sister.json"));
  CHECK(test::contains(near(1000, 1000, 1000)[0].origin.text, "of its family"));
  CHECK(near(128, 100, 8192)[0].entry->config.kernel == "tiled");
  CHECK(test::contains(near(128, 100, 8192)[0].origin.text, "this device"));
  CHECK(near(400, 400, 400).empty());
  CHECK(near(16, 1024, 1024).empty());
}

TEST_CASE("data for one form of A and B does not speak for another") {
  const Device gpu = test::made_up_gpu();
  TunedEntry direct = entry_of({1024, 1024, 1024}, "direct");
  direct.packs = false;
  const Tuning tuning({file_of(gpu, {direct})});
  CHECK(tuning.near(tight(1024, 1024, 1024), gpu).size() == 1);
  CHECK(tuning.near(tight(1001, 1024, 1024), gpu).size() == 1);
  CHECK(tuning.near(tight(1024, 1001, 1024), gpu).empty());  // rows that do not begin where four can be read
  Problem transposed = tight(1024, 1024, 1024);
  transposed.b.transposed = true;
  CHECK(tuning.near(transposed, gpu).empty());
}

TEST_CASE("CLGEMM_TUNING comes before the user's folder, and that before the rules") {
  const NoSettings none;
  const Device gpu = test::made_up_gpu();
  const std::string by_rule = first_choice(gpu).config.kernel;
  CHECK(test::contains(to_string(first_choice(gpu).origin), "by rule"));
  CHECK(by_rule != "wpt");

  const std::string users = none.folder.write("clgemm/tuning/gpu.json", text_of(gpu, "wpt"));
  CHECK(first_choice(gpu).config.kernel == "wpt");
  CHECK(test::contains(to_string(first_choice(gpu).origin), users));
  CHECK(test::contains(to_string(first_choice(gpu).origin), "entry 1024 x 1024 x 1024 (square)"));
  CHECK(first_choice(test::made_up_cpu()).config.kernel == "panels");

  const TemporaryFolder other;
  const std::string file = other.write("a.json", text_of(gpu, "tiled", {{"TS", 8}}));
  {
    const ScopedVariable named("CLGEMM_TUNING", file.c_str());
    CHECK(first_choice(gpu).config.kernel == "tiled");
    CHECK(first_choice(gpu).config.parameters == Parameters{{"TS", 8}});
  }
  {
    const ScopedVariable named("CLGEMM_TUNING", other.path().c_str());
    CHECK(first_choice(gpu).config.kernel == "tiled");
  }
  {
    const ScopedVariable off("CLGEMM_TUNING", "0");
    CHECK(first_choice(gpu).config.kernel == by_rule);
  }
}

TEST_CASE("a file that is bad, foreign or not the user's own is passed over") {
  const NoSettings none;
  const Device gpu = test::made_up_gpu();
  const std::string by_rule = first_choice(gpu).config.kernel;
  const std::string good = text_of(gpu, "wpt");
  const auto choice_with = [&](const std::string& text) {
    none.folder.write("clgemm/tuning/gpu.json", text);
    return first_choice(gpu).config.kernel;
  };
  CHECK(choice_with(good) == "wpt");
  CHECK(choice_with("") == by_rule);
  CHECK(choice_with("not JSON") == by_rule);
  CHECK(choice_with(std::string(1000000, '[')) == by_rule);
  CHECK(choice_with(replaced(good, "\"clgemm_tuning\": 1", "\"clgemm_tuning\": 99")) == by_rule);
  CHECK(choice_with(replaced(good, gpu.name, "another device")) == "wpt");  // of the family
  CHECK(choice_with(text_of(test::made_up_cpu(), "wpt")) == by_rule);

  const std::string path = none.folder.write("clgemm/tuning/gpu.json", good);
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  CHECK(first_choice(gpu).config.kernel == by_rule);
  REQUIRE(chmod(path.c_str(), 0600) == 0);
  CHECK(first_choice(gpu).config.kernel == "wpt");
  const ScopedVariable nowhere("CLGEMM_TUNING", "/no/such/file.json");
  CHECK(first_choice(gpu).config.kernel == "wpt");
}

TEST_CASE("a config that this device or library does not have makes way for the next") {
  const NoSettings none;
  const Device gpu = test::made_up_gpu();
  const Device small = test::made_up_gpu_256();
  const std::string by_rule = first_choice(gpu).config.kernel;
  const auto choice_with = [&](const Device& device, const std::string& kernel,
                               const Parameters& parameters) {
    none.folder.write("clgemm/tuning/gpu.json", text_of(device, kernel, parameters));
    return first_choice(device).config.kernel;
  };
  CHECK(choice_with(gpu, "no_such_kernel", {}) == by_rule);
  CHECK(choice_with(gpu, "scale", {}) == by_rule);
  CHECK(choice_with(gpu, "wpt", {{"TS", 33}}) == by_rule);
  CHECK(choice_with(gpu, "wpt", {{"NO_SUCH", 8}}) == by_rule);
  CHECK(choice_with(gpu, "panels", {}) == by_rule);  // requires a CPU
  CHECK(choice_with(gpu, "vector", {{"TS", 64}, {"WIDTH", 4}}) == "vector");
  CHECK(choice_with(small, "vector", {{"TS", 64}, {"WIDTH", 4}}) != "vector");  // 1024 work-items
}

TEST_CASE("of entries that are about as near, the one that is estimated to be faster counts") {
  const Device gpu = test::made_up_gpu();
  TunedEntry slow = entry_of({2048, 2048, 2048}, "wpt");
  slow.seconds = 0.1;
  TunedEntry fast = entry_of({1024, 1024, 1024}, "tiled");
  fast.seconds = 0.0005;
  const Tuning tuning({file_of(gpu, {slow, fast})});
  ConfigCache configs(gpu, {});
  const Ranking ranking =
      rank_candidates(tight(2000, 2000, 2000), configs, tuning, default_scratch_limit(gpu));
  CHECK(ranking.candidates[0].config.kernel == "tiled");
  CHECK(ranking.candidates[1].config.kernel == "wpt");
}

TEST_CASE("of entries that were about as fast, the nearest one counts") {
  const Device gpu = test::made_up_gpu();
  TunedEntry near = entry_of({1024, 1024, 1024}, "tiled");
  TunedEntry far = entry_of({512, 512, 512}, "tiled", {{"TS", 8}});
  near.seconds = 0.001;
  far.seconds = near.seconds / 8 / 1.2;  // a fifth more GFLOPS
  const Tuning tuning({file_of(gpu, {far, near})});
  ConfigCache configs(gpu, {});
  const auto first = [&](std::size_t size) {
    return rank_candidates(tight(size, size, size), configs, tuning, default_scratch_limit(gpu))
        .candidates.front()
        .origin.text;
  };
  CHECK(test::contains(first(1000), "entry 1024"));
  CHECK(test::contains(first(520), "entry 512"));
}

TEST_CASE("an entry of a part of the configs is found by its name only") {
  const Device gpu = test::made_up_gpu();
  TunedEntry part = entry_of({1024, 1024, 1024}, "tiled");
  part.space = "some";
  TunedEntry far = part;
  far.size = {64, 64, 64};
  const TuningFile back = parse_tuning(write_tuning(file_of(gpu, {part, far})), "");
  REQUIRE(back.entries.size() == 2);
  CHECK(back.entries[0].space == "some");
  const Tuning tuning({back});
  CHECK(tuning.near(tight(1024, 1024, 1024), gpu).empty());
  REQUIRE(tuning.of_space("some", {2000, 2000, 2000}, gpu) != nullptr);
  CHECK(tuning.of_space("some", {2000, 2000, 2000}, gpu)->size.m == 1024);
  CHECK(tuning.of_space("other", {2000, 2000, 2000}, gpu) == nullptr);
  CHECK(tuning.of_space("some", {2000, 2000, 2000}, test::made_up_cpu()) == nullptr);
}

TEST_CASE("PoCL on any CPU takes what ships for its width of vectors, where its cache has room") {
  const NoSettings none;
  Device cpu = test::made_up_cpu();
  cpu.platform_name = "Portable Computing Language";
  cpu.local_bytes = 2 * 1024 * 1024;
  const auto reason_with = [&](std::size_t width) {
    cpu.native_float_width = width;
    return to_string(first_choice(cpu, tight(16, 2048, 2048)).origin);
  };
  CHECK(test::contains(reason_with(8), "pocl_avx2.json"));
  CHECK(test::contains(reason_with(16), "pocl_avx512.json"));
  CHECK(test::contains(reason_with(8), "of its family"));
  CHECK(test::contains(reason_with(4), "by rule"));
  for (const std::size_t kib : {128u, 256u}) {  // the kernel's own limit is 256 KiB
    cpu.local_bytes = kib * 1024;
    CHECK(test::contains(reason_with(8), "by rule"));
  }
  cpu.local_bytes = 2 * 1024 * 1024;
  cpu.platform_name = "another compiler";
  CHECK(test::contains(reason_with(8), "by rule"));
}

TEST_CASE("what ships is of this schema") {
  for (const EmbeddedFile& file : embedded_tuning()) {
    INFO(file.path);
    const TuningFile parsed = parse_tuning(file.text, std::string(file.path));
    CHECK_FALSE(parsed.entries.empty());
    CHECK(write_tuning(parsed) == file.text);
  }
}

}  // namespace
}  // namespace clgemm
