// The measurements for the speed model and its fit, without a device: which shapes and configs are measured,
// when a time counts, and what a fit finds in made-up times.
#include "tune/calibration/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/sizes.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "support/made_up.hpp"
#include "support/shipped.hpp"
#include "support/temporary.hpp"
#include "tune/calibration/fit.hpp"
#include "tune/command_line/options.hpp"

namespace clgemm::tune {
namespace {

using test::TemporaryFolder;

TEST_CASE("a config is timed until its shortest times agree, on a CPU three of them") {
  const auto is_enough = [](const std::vector<double>& seconds, DeviceKind kind) {
    return is_settled(seconds, 1.0, careful_turns(kind));
  };
  CHECK_FALSE(is_enough({1.0}, DeviceKind::gpu));
  CHECK(is_enough({1.0, 1.02}, DeviceKind::gpu));
  CHECK_FALSE(is_enough({1.0, 1.04}, DeviceKind::gpu));
  CHECK(is_enough({19.0, 17.0}, DeviceKind::gpu));
  CHECK(is_enough({1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7}, DeviceKind::gpu));
  CHECK_FALSE(is_enough({19.0, 19.1}, DeviceKind::cpu));
  CHECK_FALSE(is_enough({1.0, 1.01}, DeviceKind::cpu));
  CHECK_FALSE(is_enough({1.0, 1.01, 19.0}, DeviceKind::cpu));
  CHECK(is_enough({1.0, 19.0, 1.01, 1.02}, DeviceKind::cpu));
  CHECK(is_enough({19.0, 17.0, 15.0}, DeviceKind::cpu));
  CHECK_FALSE(is_enough({1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7}, DeviceKind::cpu));
  CHECK(is_enough({1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0},
                  DeviceKind::cpu));
}

// Makes times with a model whose coefficients are known.
std::vector<Sample> made_up_samples(const std::vector<SampleShape>& shapes,
                                    const std::vector<Config>& configs, const ConfigSpeed& speed,
                                    const Rates& rates, ConfigCache& cache) {
  std::vector<Sample> samples;
  for (const SampleShape& shape : shapes) {
    double factor = 1.0;
    for (const Config& config : configs) {
      ConfigSpeed slower = speed;
      slower.alone *= factor;
      slower.share *= factor;
      const Plan plan = outline_plan(problem_of(shape, cache.device()), config, cache, unlimited_scratch);
      samples.push_back({shape, config, predict(plan, slower, rates, cache.device().kind).device()});
      factor *= 2.0;
    }
  }
  return samples;
}

std::vector<std::string> calibrated_on(const Device& device) {
  KernelLibrary library;
  std::vector<std::string> result;
  for (const Config& config : calibrated_configs(device, library)) result.push_back(to_string(config));
  return result;
}

Device cpu_of(std::size_t vector_width) {
  Device result = test::made_up_cpu();
  result.native_float_width = vector_width;
  result.local_bytes = 2048 * 1024;
  return result;
}

TEST_CASE("a device is calibrated with the allowed configs of the manifests, each once") {
  Device ampere = test::made_up_gpu();
  ampere.nvidia_sm = 80;
  struct Case {
    Device device;
    std::size_t configs;
  };
  for (const Case& c : {Case{test::made_up_gpu(), 76}, Case{test::made_up_gpu_256(), 69}, Case{ampere, 98},
                        Case{test::made_up_h200(), 123}, Case{cpu_of(1), 17}, Case{cpu_of(4), 17},
                        Case{cpu_of(8), 34}, Case{cpu_of(16), 35}}) {
    const std::vector<std::string> configs = calibrated_on(c.device);
    INFO(c.device.name << ", vectors of " << c.device.native_float_width);
    CHECK(configs.size() == c.configs);
    CHECK(std::set<std::string>(configs.begin(), configs.end()).size() == configs.size());
  }
}

TEST_CASE("calibration measures every config that has a row in the built-in data of the device") {
  const std::vector<std::string> on_h200 = calibrated_on(test::made_up_h200());
  std::vector<std::string> on_cpus;
  for (const std::size_t width : {8U, 16U}) {
    for (std::string& config : calibrated_on(cpu_of(width))) on_cpus.push_back(std::move(config));
  }
  for (const TuningFile& file : test::shipped_tuning().files()) {
    const auto& measured = file.device.kind == DeviceKind::cpu ? on_cpus : on_h200;
    for (const ConfigRow& row : file.configs) {
      INFO(file.path << ": " << to_string(row.config));
      CHECK(std::count(measured.begin(), measured.end(), to_string(row.config)) == 1);
    }
  }
}

TEST_CASE("a kernel in the user's folder is calibrated together with the built-in ones") {
  const TemporaryFolder folder;
  folder.write(
      "mine.cl",
      "// clgemm: mine\n// summary: s\n// operands: in_place\n// param: TS = 8 in 4 8 16\n// tile: TS TS 1\n"
      "// local: TS TS\n// grid: columns rows\n// calibrate: TS: 8, 16\n");
  const Device device = test::made_up_gpu();
  KernelLibrary library(folder.path().string());
  const std::vector<Config> configs = calibrated_configs(device, library);
  CHECK(std::count(configs.begin(), configs.end(), Config{"mine", {{"TS", 8}}}) == 1);
  CHECK(std::count(configs.begin(), configs.end(), Config{"mine", {{"TS", 16}}}) == 1);
  CHECK(configs.size() == calibrated_on(device).size() + 2);
}

TEST_CASE("the first twelve shapes of a CPU are enough for a row of the kernel for one column") {
  const auto shapes = calibrated_shapes(DeviceKind::cpu, 16, 3);
  const auto columns = std::count_if(shapes.begin(), shapes.begin() + 12, [](const SampleShape& shape) {
    return shape.n == 1 && shape.batch == 1;
  });
  CHECK(columns >= static_cast<std::ptrdiff_t>(least_samples));
}

// In a search by steps, the time alone can fall below the time in company, where it has no effect.
TEST_CASE("on the times of an H200, a fit finds how long a work-group takes alone") {
  const Device device = test::made_up_h200();
  ConfigCache cache(device, {});
  const auto is_one = [](const Sample& sample) {
    const Parameters& values = sample.config.parameters;
    return sample.config.kernel == "direct" && values.at("BM") == 128 && values.at("COPIES") == 3;
  };
  std::vector<Sample> samples = read_samples(CLGEMM_TEST_DATA "/h200_times.csv", {"direct"});
  std::erase_if(samples, [&](const Sample& sample) { return !is_one(sample); });
  const Fitted fitted = fit(samples, cache, {{9.6e-6, 4.7e-6}});
  REQUIRE(fitted.rows.size() == 1);
  CHECK(fitted.rows.front().speed.alone > fitted.rows.front().speed.share);
}

TEST_CASE("a fit finds the coefficients from which the samples were made") {
  const Device device = test::made_up_gpu();
  ConfigCache cache(device, {});
  const Rates rates{10e-6, 4e-6, 2e-6, 1e12, 8e11, 9e11, 0.6, 0.2, 5e-6, 0.8, 45e6};
  const ConfigSpeed speed{3e-6, 40e-9, 25e-9, 6, 0.0, 1.4, 1.3, 0.8, 1.4};
  const std::vector<Config> configs = {
      {"direct", {{"BM", 64}, {"BN", 64}, {"TM", 8}, {"TN", 8}, {"DEPTH", 8}, {"SLICES", 2}, {"COPIES", 2}}},
      {"direct", {{"BM", 32}, {"BN", 64}, {"TM", 8}, {"TN", 4}, {"DEPTH", 8}, {"SLICES", 2}, {"COPIES", 2}}}};
  const std::vector<Sample> samples =
      made_up_samples(calibrated_shapes(DeviceKind::gpu, 96, 3), configs, speed, rates, cache);
  const HostRates way{12e9, 11e9, 10e9, 5e9, 3e-5};
  const Known known{{rates.call_seconds, rates.launch_seconds}, {}, way};
  const Fitted fitted = fit(samples, cache, known);
  CHECK(fitted.rates.call_seconds == known.host.call);
  CHECK(fitted.rates.host == way);
  double most = 0.0;
  for (const Sample& sample : samples) {
    const auto& [shape, config, seconds] = sample;
    const auto products = static_cast<double>(shape.m * shape.n * shape.k * shape.batch);
    most = std::max(most, products / seconds);
  }
  CHECK(fitted.rates.multiply_adds == Approx(most));
  CHECK(fitted.rates.unhidden > 0.35);  // it begins at 0.3
  CHECK(fitted.rates.repeated < 0.4);   // it begins at 0.5
  CHECK(fitted.rates.uneven > 0.5);     // it begins at 0.3
  REQUIRE(fitted.rows.size() == 2);
  for (const ConfigRow& row : fitted.rows) {
    CHECK(row.residual < 0.1);
    CHECK(row.speed.transposed_a == Approx(speed.transposed_a).epsilon(0.1));
    CHECK(row.speed.transposed_b == Approx(speed.transposed_b).epsilon(0.1));
    CHECK(row.speed.uncached == Approx(speed.uncached).epsilon(0.2));
  }
  CHECK(held_out_regret(samples, cache, known).all.mean < 1.03);

  const TemporaryFolder folder;
  const auto path = folder.path() / "samples.csv";
  const std::vector<double> predicted = unseen_predictions(samples, cache, known);
  // With rows that were fitted without the shape, the largest is 0.215.
  for (std::size_t i = 0; i < samples.size(); ++i)
    CHECK(std::abs(std::log(predicted[i] / samples[i].seconds)) < 0.25);
  write_samples(path, samples, predicted);
  const std::vector<Sample> back = read_samples(path, {"direct"});
  REQUIRE(back.size() == samples.size());
  CHECK(std::equal(back.begin(), back.end(), samples.begin(), [](const Sample& x, const Sample& y) {
    return x.shape == y.shape && x.config == y.config;
  }));
  CHECK(read_samples(path, {"wpt"}).empty());
}

TEST_CASE("a fit finds the time of passes if some configs pack and others do not") {
  const Device device = test::made_up_gpu();
  ConfigCache cache(device, {});
  const Rates rates{10e-6, 4e-6, 2e-6, 1e12, 8e11, 9e11, 0.3, 0.5, 8e-6, 0.3};
  const ConfigSpeed speed{3e-6, 40e-9, 25e-9, 6, 0.0, 1.4};
  const std::vector<Config> configs = {{"tiled", {}}, {"direct", {}}};
  std::vector<SampleShape> shapes = calibrated_shapes(DeviceKind::gpu, 96, 3);
  for (std::size_t i = 0; i < shapes.size(); i += 2) {  // with whole tiles, so nothing is packed
    constexpr std::size_t whole = 32;
    const SampleShape& one = shapes[i];
    shapes[i] = {{round_up(one.m, whole), round_up(one.n, whole), round_up(one.k, whole)}, one.batch};
  }
  const std::vector<Sample> samples = made_up_samples(shapes, configs, speed, rates, cache);
  const Fitted fitted = fit(samples, cache, {{rates.call_seconds, rates.launch_seconds}});
  CHECK(fitted.rates.pass_seconds > 4e-6);  // it begins at 2e-6
}

TEST_CASE("a fit finds what further turns of persistent kernels take, and no such value for others") {
  const Device device = test::made_up_h200();
  ConfigCache cache(device, {});
  const Rates rates{10e-6, 4e-6, 2e-6, 1e12, 8e11, 9e11, 0.3, 0.6, 2e-6, 0.3};
  ConfigSpeed speed{10e-6, 10e-9, 10e-9, 1, 0.0, 1.0};
  speed.repeated = 0.1;
  const std::vector<Config> persistent = {{"fp16x3_wgmma", {}}};
  std::vector<SampleShape> shapes = calibrated_shapes(DeviceKind::gpu, 96, 3);
  std::erase_if(shapes, [](const SampleShape& one) { return one.batch != 1; });
  std::vector<Sample> samples = made_up_samples(shapes, persistent, speed, rates, cache);
  speed.repeated.reset();
  const std::vector<Sample> others = made_up_samples(shapes, {{"direct", {}}}, speed, rates, cache);
  samples.insert(samples.end(), others.begin(), others.end());
  const Fitted fitted = fit(samples, cache, {{rates.call_seconds, rates.launch_seconds}});
  REQUIRE(fitted.rows.size() == 2);
  for (const ConfigRow& row : fitted.rows) {
    if (row.config.kernel == "direct") {
      CHECK_FALSE(row.speed.repeated);
    } else {
      CHECK(row.speed.repeated.value() < 0.3);  // it begins at 0.5
    }
  }

  // A file may have 0.
  speed.repeated = 0.0;
  const Known zero{{rates.call_seconds, rates.launch_seconds}, {rates, {{persistent.front(), speed}}}};
  for (const ConfigRow& row : fit(samples, cache, zero).rows) {
    if (row.config.kernel == "fp16x3_wgmma") CHECK(row.speed.repeated.value() > 0.05);
  }
}

TEST_CASE("calibrated shapes depend on the seed, are of every kind, and are the first of a longer list") {
  const auto shapes = calibrated_shapes(DeviceKind::gpu, 32, 1);
  CHECK(shapes == calibrated_shapes(DeviceKind::gpu, 32, 1));
  CHECK_FALSE(shapes == calibrated_shapes(DeviceKind::gpu, 32, 2));
  auto more = calibrated_shapes(DeviceKind::gpu, 40, 1);
  more.resize(shapes.size());
  CHECK(more == shapes);
  const auto count = [&shapes](const auto& is_one) {
    return std::count_if(shapes.begin(), shapes.end(),
                         [&](const SampleShape& one) { return one.batch == 1 && is_one(one); });
  };
  CHECK(count([](const SampleShape& one) { return one.m <= 16; }) >= 3);
  CHECK(count([](const SampleShape& one) { return one.n == 1; }) >= 2);
  CHECK(count([](const SampleShape& one) { return one.k <= 64; }) >= 3);
  CHECK(count([](const SampleShape& one) { return one.k % 4 == 0 && (one.n == 1 || one.n % 4 == 0); }) >= 16);
}

// Returns the shapes without those of one column and those with a large operand, which follow some of the
// others.
std::vector<SampleShape> shapes_of_both(DeviceKind kind, std::size_t count) {
  const std::vector<SampleShape> all = calibrated_shapes(kind, count, 1);
  const bool is_cpu = kind == DeviceKind::cpu;
  const std::size_t columns = is_cpu ? 6 : 24;
  constexpr std::size_t large = 20'000'000;
  std::vector<SampleShape> result;
  auto next = all.begin();
  for (std::size_t i = 1; i <= count; ++i) {
    result.push_back(*next++);
    if (i <= columns) REQUIRE(next++->n == 1);
    if (i % 3 == 0) result.push_back(*next++);
    if (i % 8 == 0) result.push_back(*next++);
    if (!is_cpu && i % 8 == 4) {
      CHECK(std::max(next->m, next->n) * next->k >= large);
      CHECK(std::min(next->m, next->n) <= 512);
      ++next;
    }
  }
  REQUIRE(next == all.end());
  return result;
}

TEST_CASE("a batch follows every third calibrated shape, with squares and others of every magnitude") {
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::cpu}) {
    const auto shapes = shapes_of_both(kind, 72);
    REQUIRE(shapes.size() == 72 + 24 + 9);
    std::vector<SampleShape> batches;
    std::size_t others = 0;
    for (const SampleShape& shape : shapes) {
      if (shape.batch == 1) {
        ++others;
        continue;
      }
      batches.push_back(shape);
      // There are nine with the large one after each eight.
      CHECK(batches.size() == (others - others / 9) / 3);
    }
    CHECK(batches.size() == 24);
    const auto count = [&batches](const auto& is_one) {
      return std::count_if(batches.begin(), batches.end(), is_one);
    };
    CHECK(count([](const SampleShape& one) { return one.m == one.n && one.n == one.k; }) >= 6);
    CHECK(count([](const SampleShape& one) { return one.m != one.n; }) >= 10);
    CHECK(count([](const SampleShape& one) { return one.m <= 32 && one.n <= 32; }) >= 3);
    CHECK(count([](const SampleShape& one) { return one.m > 64 && one.n > 64; }) >= 2);
    CHECK(count([](const SampleShape& one) { return one.k % 4 != 0; }) >= 4);
    CHECK(count([](const SampleShape& one) {
            return one.m % 32 == 0 && one.n % 32 == 0 && one.k % 32 == 0;
          }) >= 1);
  }
}

TEST_CASE("a large shape follows every eighth calibrated shape, alternately with whole tiles") {
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::cpu}) {
    const auto operations = [](const SampleShape& one) {
      return 2.0 * static_cast<double>(one.m) * static_cast<double>(one.n) * static_cast<double>(one.k);
    };
    const auto side = [](const SampleShape& one) { return std::min({one.m, one.n, one.k}); };
    std::vector<SampleShape> shapes;
    for (const SampleShape& shape : shapes_of_both(kind, 64)) {
      if (shape.batch == 1) shapes.push_back(shape);
    }
    REQUIRE(shapes.size() == 72);
    for (std::size_t i = 8; i < shapes.size(); i += 9) {
      CHECK(operations(shapes[i]) >= (kind == DeviceKind::gpu ? 1.5e10 : 4e8));
      CHECK(side(shapes[i]) >= (kind == DeviceKind::gpu ? 1000 : 300));
      CHECK((shapes[i].m % 256 == 0 && shapes[i].n % 256 == 0 && shapes[i].k % 256 == 0) == (i / 9 % 2 == 1));
      CHECK(is_large(shapes[i], kind));
    }
  }
}

TEST_CASE("batches are samples like others: read again as they were written, and without split-K") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "samples.csv";
  Device device = test::made_up_gpu();
  device.compute_units = 64;
  const Config config{"small", {{"BM", 8}, {"BN", 8}, {"BK", 8}, {"MATRICES", 16}}};
  write_samples(path, {{{64, 32, 1000, 40}, config, 2e-6}, {{64, 32, 1000}, config, 1e-6}}, {3e-6, 0.0});
  const std::vector<Sample> read = read_samples(path, {"small"});
  REQUIRE(read.size() == 2);
  CHECK(read[0].shape == SampleShape{{64, 32, 1000}, 40});
  CHECK(read[1].shape == SampleShape{{64, 32, 1000}, 1});
  const Problem problem = problem_of(read[0].shape, device);
  CHECK(problem.batch_count == 40);
  CHECK(problem.b.stride == 32000);

  KernelLibrary library;
  const Config direct{"direct", {{"BM", 32}, {"BN", 32}, {"TM", 4}, {"TN", 4}, {"DEPTH", 8}, {"SLICES", 1}}};
  CHECK(with_slices(direct, {64, 32, 10000}, device, library).size() > 1);
  CHECK(with_slices(direct, {64, 32, 10000, 40}, device, library).size() == 1);
  CHECK(with_slices(config, {64, 32, 1000, 16}, device, library).size() == 1);
  CHECK(
      with_slices(config, {64, 32, 1000, 15}, device, library).empty());  // fewer than a work-group computes
  CHECK_FALSE(with_slices({"thin_rows", {}}, {16, 1000, 1000}, device, library).empty());
  CHECK(with_slices({"thin_rows", {}}, {17, 1000, 1000}, device, library).empty());  // too many rows
  CHECK(with_slices({"thin_columns", {}}, {1000, 17, 1000}, device, library).empty());
}

// Measuring and fitting must find the same kernels.
TEST_CASE("a run has the kernel folder that CLGEMM_KERNEL_DIR names, unless an option names another") {
  const auto folder_of = [](std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return parse_options(static_cast<int>(arguments.size()), arguments.data())->kernel_folder;
  };
  const TemporaryFolder of_variable, of_option;
  const std::string other = of_option.path().string();
  const test::ScopedVariable named("CLGEMM_KERNEL_DIR", of_variable.path());
  CHECK(folder_of({"clgemm-tune", "--calibrate"}) == of_variable.path().string());
  CHECK(folder_of({"clgemm-tune", "--calibrate", "--kernel-folder", other}) == other);
}

}  // namespace
}  // namespace clgemm::tune
