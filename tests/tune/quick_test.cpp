// Tests, without a device, which configs and shapes clgemm-tune --quick selects from the data of other
// devices, and the quality of a choice from few samples.
#include "tune/calibration/quick.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "support/data_sheets.hpp"
#include "support/made_up.hpp"
#include "support/shipped.hpp"
#include "support/temporary.hpp"
#include "tune/calibration/calibration.hpp"
#include "tune/command_line/options.hpp"

namespace clgemm::tune {
namespace {

using test::TemporaryFolder;

// The measurements of a quick run on a device.
struct Quick {
  explicit Quick(const Device& its_device, const std::string& folder = {})
      : device(its_device), cache(device, folder), library(folder) {
    table = nearest_rows(test::shipped_tuning(), device);
    all = calibrated_configs(device, library);
    configs = quick_configs(all, table, cache, library);
    shapes = quick_shapes(table, configs, cache, library, 1);
  }

  Device device;
  ConfigCache cache;
  KernelLibrary library;
  std::optional<SpeedTable> table;
  std::vector<Config> all, configs;
  std::vector<SampleShape> shapes;
};

// Returns a device like Zen 5 with AVX-512, for which rows of PoCL and of Intel's runtime are shipped.
Device made_up_zen5() {
  Device device = test::made_up_cpu();
  device.name = "made-up AVX-512";
  device.platform_name = "Portable Computing Language";
  device.native_float_width = 16;
  device.compute_units = 2;
  device.clock_mhz = 2596;
  device.local_bytes = std::size_t{1} << 20;
  return device;
}

TEST_CASE("a quick run uses the rows of the most similar other device, or its own if there is none") {
  Device h100 = test::made_up_h200();
  h100.name = "NVIDIA H100";
  const auto of_h200 = nearest_rows(test::shipped_tuning(), h100);
  REQUIRE(of_h200);
  CHECK(of_h200->kin == Kinship::family);
  const auto own = nearest_rows(test::shipped_tuning(), test::made_up_h200());
  REQUIRE(own);
  CHECK(own->kin == Kinship::same);
  Device zen5 = made_up_zen5();
  zen5.name = "pthread-skylake-avx512-AMD EPYC";
  const auto others = nearest_rows(test::shipped_tuning(), zen5);
  REQUIRE(others);
  CHECK(others->kin != Kinship::same);
  CHECK_FALSE(nearest_rows(Tuning{}, h100));

  // A device's own rows decide what is worth measuring, but are not the prior of the new measurements.
  Quick here(test::made_up_h200());
  CHECK(prior_of(here.table, here.configs, here.cache).rows.empty());
  Quick there(h100);
  constexpr std::size_t unmeasured = 6;  // configs of kernels that Hopper never chooses: by mma.sync
  CHECK(prior_of(there.table, there.configs, there.cache).rows.size() >= there.configs.size() - unmeasured);
}

TEST_CASE("a quick run has few configs, and one of them is fast for every shape, also with only fp32 units") {
  std::vector<Device> devices = {test::made_up_h200(), made_up_zen5()};
  for (const test::Sheet& sheet : test::sheets) devices.push_back(test::device_of(sheet));
  for (const Device& device : devices) {
    Quick quick(device);
    INFO(device.name);
    CHECK(quick.configs.size() >= 4);
    CHECK(quick.configs.size() <= 20 + 2 * 6);  // and those of two kernels without rows: AMD's matrix units
    CHECK(quick.configs.size() < quick.all.size());
    CHECK(quick.shapes.size() >= least_shapes);
    CHECK(quick.shapes.size() <= most_quick_shapes);
    bool has_fp32 = false;
    for (const Config& config : quick.configs) {
      CHECK(std::count(quick.all.begin(), quick.all.end(), config) == 1);
      const auto kernel = quick.cache.get(config.kernel, config.parameters);
      has_fp32 = has_fp32 || kernel->manifest().precision == Precision::fp32;
    }
    CHECK(has_fp32);
  }
}

TEST_CASE("a user's kernel without a row is also measured in a quick run") {
  const TemporaryFolder folder;
  folder.write(
      "mine.cl",
      "// clgemm: mine\n// summary: s\n// operands: in_place\n// param: TS = 8 in 4 8 16\n// tile: TS TS 1\n"
      "// local: TS TS\n// grid: columns rows\n// calibrate: TS: 8, 16\n");
  const Quick quick(test::made_up_gpu(), folder.path().string());
  const auto is_mine = [](const Config& config) { return config.kernel == "mine"; };
  CHECK(std::count_if(quick.configs.begin(), quick.configs.end(), is_mine) == 2);
}

TEST_CASE("quick shapes depend on the seed, do not all have one column, and none takes long") {
  Quick slow(test::device_of(test::sheets[10]));  // a small GPU
  Quick fast(test::made_up_h200());
  const auto most = [](const std::vector<SampleShape>& shapes) {
    double result = 0.0;
    for (const SampleShape& one : shapes)
      result = std::max(result, static_cast<double>(one.m) * static_cast<double>(one.n) *
                                    static_cast<double>(one.k) * static_cast<double>(one.batch));
    return result;
  };
  CHECK(most(slow.shapes) < most(fast.shapes));
  CHECK(fast.shapes == quick_shapes(fast.table, fast.configs, fast.cache, fast.library, 1));
  CHECK_FALSE(fast.shapes == quick_shapes(fast.table, fast.configs, fast.cache, fast.library, 2));
  const auto columns = std::count_if(fast.shapes.begin(), fast.shapes.end(),
                                     [](const SampleShape& one) { return one.n == 1; });
  CHECK(columns >= 4);  // the fit of a kernel for one column needs as many
  CHECK(columns <= 8);
}

// Returns times of a device whose configs have other speed ratios than the relative's.
std::vector<Sample> made_up_times(Quick& quick, const Prior& prior, const std::vector<SampleShape>& shapes) {
  std::vector<Sample> result;
  for (const SampleShape& shape : shapes) {
    double factor = 1.7;
    for (const auto& [config, row] : prior.rows) {
      ConfigSpeed speed = row;
      factor = factor > 2.4 ? 1.7 : factor + 0.25;
      speed.begin *= factor;
      speed.alone *= factor;
      speed.share *= factor;
      for (const Config& split : with_slices(config, shape, quick.device, quick.library)) {
        const Plan plan =
            outline_plan(problem_of(shape, quick.device), split, quick.cache, unlimited_scratch);
        result.push_back({shape, split, predict(plan, speed, prior.rates, quick.device.kind).device()});
      }
    }
  }
  return result;
}

TEST_CASE(
    "few samples give a good fit if it starts from rows of a similar device, and a worse one otherwise") {
  Device h100 = test::made_up_h200();
  h100.name = "NVIDIA H100";
  Quick quick(h100);
  const Prior prior = prior_of(quick.table, quick.configs, quick.cache);
  const std::vector<Sample> few =
      made_up_times(quick, prior, {quick.shapes.begin(), quick.shapes.begin() + 8});
  const std::vector<Sample> others = made_up_times(quick, prior, calibrated_shapes(DeviceKind::gpu, 24, 77));
  const HostSeconds host{prior.rates.call_seconds, prior.rates.launch_seconds};
  const auto regret_of = [&](const Known& known) {
    return regret(fit(few, quick.cache, known), others, quick.cache).mean;
  };
  const double with_prior = regret_of({host, prior});
  CHECK(with_prior < 1.04);
  CHECK(with_prior < regret_of({host}));
}

// Uses the H200's recorded times of a quick run's configs on a seventh of the shapes. There is no prior,
// because no related device has rows. Only times of at most 1.5 times the best were recorded.
TEST_CASE(
    "on the times of an H200, the choice from few samples takes at most 1.14 times as long as the best") {
  Quick quick(test::made_up_h200());
  const auto all = read_samples(CLGEMM_TEST_DATA "/h200_times.csv", quick.library.names(Role::gemm));
  std::vector<SampleShape> shapes;
  for (const Sample& one : all) {
    if (std::count(shapes.begin(), shapes.end(), one.shape) == 0) shapes.push_back(one.shape);
  }
  for (std::size_t turn = 0; turn < 7; ++turn) {
    std::vector<Sample> measured, others;
    for (const Sample& one : all) {
      const auto place = std::find(shapes.begin(), shapes.end(), one.shape) - shapes.begin();
      const bool is_seen = static_cast<std::size_t>(place) % 7 == turn;
      if (!is_seen) {
        others.push_back(one);
      } else if (std::count(quick.configs.begin(), quick.configs.end(), without_slices(one.config)) != 0) {
        measured.push_back(one);
      }
    }
    // The host's times are those of the shipped file.
    const Fitted fitted = fit(measured, quick.cache, {{9.6e-6, 4.7e-6}});
    const Regret found = regret(fitted, others, quick.cache);
    INFO("turn " << turn << ": " << found.mean << ", worst " << found.worst << ", " << found.shapes);
    CHECK(found.mean < 1.14);  // 1.101 to 1.138
    CHECK(found.shapes > 100);
  }
}

// The same with the shipped rows, which are fitted to all of these shapes, and with these rows exchanged.
TEST_CASE("rows that choose better than a fit on the same samples are found to be better") {
  Quick quick(test::made_up_h200());
  std::vector<Sample> few;
  for (const Sample& one :
       read_samples(CLGEMM_TEST_DATA "/h200_times.csv", quick.library.names(Role::gemm))) {
    if (one.shape.m % 7 == 0) few.push_back(one);
  }
  const Known known{{9.6e-6, 4.7e-6}};
  Fitted shipped = rows_of(*quick.table, quick.cache);
  CHECK(shipped.rows.size() == quick.table->rows().size());
  const Comparison better = compare(few, quick.cache, known, shipped);
  INFO(better.fit.mean << " by a fit, " << better.other.mean << " by what ships, " << better.fit.shapes);
  CHECK(better.fit.shapes >= least_shapes);
  CHECK(better.other_is_better());
  std::rotate(shipped.rows.begin(), shipped.rows.begin() + 1, shipped.rows.end());
  for (std::size_t i = 0; i < shipped.rows.size(); ++i)
    shipped.rows[i].config = quick.table->rows()[i].config;
  const Comparison worse = compare(few, quick.cache, known, shipped);
  CHECK(worse.other.mean > better.other.mean);
  CHECK_FALSE(worse.other_is_better());
}

}  // namespace
}  // namespace clgemm::tune
