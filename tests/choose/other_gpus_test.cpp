// Unmeasured GPUs. The predictions for what is chosen there by the rows of another GPU stay within the limits
// in the device's data sheet.
#include <algorithm>
#include <cmath>

#include "base/device_facts.hpp"
#include "choose/ranking.hpp"
#include "support/catch.hpp"
#include "support/data_sheets.hpp"
#include "support/plans.hpp"
#include "support/shipped.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

double operations(const Problem& problem) {
  return 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
         static_cast<double>(problem.k) * static_cast<double>(problem.batch_count);
}

double bytes_of(const Problem& problem) {
  const auto m = static_cast<double>(problem.m);
  const auto n = static_cast<double>(problem.n);
  const auto k = static_cast<double>(problem.k);
  return 4.0 * static_cast<double>(problem.batch_count) * (m * k + k * n + m * n);
}

Candidate first_choice(const Problem& problem, ConfigCache& configs) {
  return rank_candidates(problem, configs, shipped_tuning(), no_limit, Precision::fp32).candidates.front();
}

double a_second(const Device& device, double multiply_adds_a_clock) {
  return multiply_adds_a_clock * 1e6 * static_cast<double>(device.clock_mhz);
}

// Returns the fp32 multiply-adds of a core's matrix units in a second.
double matrix_multiply_adds(const Device& device) {
  return a_second(device, facts_of(device).matrix_multiply_adds);
}

// Returns the multiply-adds of 16-bit numbers, in the same unit.
double half_multiply_adds(const Device& device) {
  return a_second(device, facts_of(device).half_multiply_adds);
}

bool is_estimate(const Candidate& candidate) {
  return contains(to_string(candidate.origin), "nothing was measured");
}

// Returns whether local memory is slower than on the measured devices, because it is a part of global memory.
bool is_local_in_global(const Device& device) {
  return peaks_of(device).local_cache_bytes > 0.0;
}

TEST_CASE("properties of GPUs agree with their data sheets") {
  for (const Sheet& sheet : sheets) {
    INFO(sheet.name);
    const DevicePeaks peaks = peaks_of(device_of(sheet));
    CHECK(peaks.cores == sheet.cores);
    const double teraflops = 2e-12 * peaks.multiply_adds * static_cast<double>(peaks.cores);
    CHECK(teraflops > 0.95 * sheet.teraflops);
    CHECK(teraflops < 1.05 * sheet.teraflops);
    const double of_matrix_units =
        matrix_multiply_adds(device_of(sheet)) * 2e-12 * static_cast<double>(peaks.cores);
    CHECK(of_matrix_units >= 0.95 * sheet.matrix_teraflops);
    CHECK(of_matrix_units <= 1.05 * sheet.matrix_teraflops);
    const double of_halves = half_multiply_adds(device_of(sheet)) * 2e-12 * static_cast<double>(peaks.cores);
    CHECK(of_halves >= 0.95 * sheet.half_teraflops);
    CHECK(of_halves <= 1.05 * sheet.half_teraflops);
    // There is one figure for each family. It comes from another product for some of them, and small GPUs
    // beside CPUs have more than their share.
    CHECK(1e-9 * peaks.bytes > 0.3 * sheet.gigabytes);
    CHECK(1e-9 * peaks.bytes < 1.5 * sheet.gigabytes);
  }
}

TEST_CASE("GeForce cards multiply fp16 numbers half as fast as other cards of their architecture") {
  struct Card {
    const char* name;
    std::size_t sm;
    double halves;
  };
  constexpr Card cards[] = {{"Tesla T4", 75, 512},
                            {"Quadro RTX 6000", 75, 512},
                            {"NVIDIA GeForce RTX 2080 Ti", 75, 256},
                            {"NVIDIA GeForce GTX 1660", 75, 0},
                            {"NVIDIA T1000", 75, 0},
                            {"NVIDIA A100-SXM4-40GB", 80, 1024},
                            {"NVIDIA GeForce RTX 3090", 86, 256},
                            {"NVIDIA RTX A6000", 86, 512},
                            {"NVIDIA A40", 86, 512},
                            {"NVIDIA GeForce RTX 4090", 89, 256},
                            {"NVIDIA L40S", 89, 512},
                            {"NVIDIA RTX 6000 Ada Generation", 89, 512},
                            {"NVIDIA B200", 100, 1024},
                            {"NVIDIA B300", 103, 1024},
                            {"NVIDIA GeForce RTX 5090", 120, 256},
                            {"NVIDIA RTX PRO 6000 Blackwell", 120, 512},
                            {"NVIDIA GB10", 121, 256}};
  Device device = made_up_hopper();
  for (const Card& card : cards) {
    INFO(card.name);
    device.name = card.name;
    device.nvidia_sm = card.sm;
    CHECK(facts_of(device).half_multiply_adds == card.halves);
  }
}

TEST_CASE("Intel's GPUs with matrix units are known by their names") {
  struct Gpu {
    const char* name;
    std::size_t sub_group;  // 0: no matrix units
  };
  constexpr Gpu gpus[] = {{"Intel(R) Arc(TM) A770 Graphics", 8},    {"Intel(R) Arc(TM) Pro A60 Graphics", 8},
                          {"Intel(R) Data Center GPU Flex 170", 8}, {"Intel(R) Arc(TM) 140T GPU (16GB)", 8},
                          {"Intel(R) Arc(TM) B580 Graphics", 16},   {"Intel(R) Arc(TM) Pro B50 Graphics", 16},
                          {"Intel(R) Arc(TM) 140V GPU (16GB)", 16}, {"Intel(R) Data Center GPU Max 1100", 16},
                          {"Intel(R) Arc(TM) Graphics", 0},         {"Intel(R) Iris(R) Xe Graphics", 0},
                          {"Intel(R) UHD Graphics 770", 0}};
  Device device = made_up_xe();
  for (const Gpu& gpu : gpus) {
    INFO(gpu.name);
    device.name = gpu.name;
    CHECK(facts_of(device).matrix_sub_group == gpu.sub_group);
    CHECK((facts_of(device).half_multiply_adds > 0) == (gpu.sub_group != 0));
  }
}

TEST_CASE("an impossible clock rate is not used") {
  Device device = device_of(sheets[0]);
  const double believed = peaks_of(device).multiply_adds;
  for (const std::size_t mhz : {0U, 1U, 99U}) {
    device.clock_mhz = mhz;
    CHECK(peaks_of(device).multiply_adds == believed);
  }
  device.clock_mhz = 100;
  CHECK(peaks_of(device).multiply_adds < believed);

  const auto mali = std::find_if(std::begin(sheets), std::end(sheets),
                                 [](const Sheet& one) { return contains(one.name, "Mali-G78"); });
  REQUIRE(mali != std::end(sheets));
  device = device_of(*mali);
  const Problem problem = tight(1024, 1024, 1024);
  ConfigCache configs(device, {});
  const Config usual = first_choice(problem, configs).config;
  device.clock_mhz = 0;
  CHECK(first_choice(problem, configs).config == usual);
}

TEST_CASE("a GPU of an unknown family has low peaks") {
  Device device = made_up_gpu();
  device.vendor = "nobody";
  device.name = "nothing";
  device.nvidia_sm = 0;
  device.compute_units = 10;
  device.clock_mhz = 1000;
  const DevicePeaks peaks = peaks_of(device);
  CHECK(peaks.cores == 10);
  CHECK(peaks.multiply_adds == 64e9);
}

TEST_CASE("local memory is part of global memory on Mali, and on unknown GPUs if OpenCL says so") {
  for (const Sheet& sheet : sheets) {
    INFO(sheet.name);
    Device device = device_of(sheet);
    const bool is_mali = contains(sheet.name, "Mali");
    CHECK(is_local_in_global(device) == is_mali);
    device.local_in_global = !device.local_in_global;
    CHECK(is_local_in_global(device) == is_mali);  // some drivers report the same for all devices
  }
  for (Device device : {made_up_gpu(), made_up_cpu()}) {
    INFO(device.name);
    CHECK_FALSE(is_local_in_global(device));
    device.local_in_global = true;
    CHECK(is_local_in_global(device) == (device.kind == DeviceKind::gpu));
  }
}

// Kernels that are only for such GPUs are not calibrated on others.
TEST_CASE("a GPU without real local memory gets kernels that copy nothing into it") {
  for (const Sheet& sheet : sheets) {
    const Device device = device_of(sheet);
    ConfigCache configs(device, {});
    const auto kernel_of = [&](const Candidate& one) {
      return configs.get(one.config.kernel, one.config.parameters);
    };
    for (const Problem& problem : shapes()) {
      for (const Precision precision : {Precision::fp32, Precision::fp32_equivalent}) {
        const auto all = rank_candidates(problem, configs, shipped_tuning(), no_limit, precision).candidates;
        INFO(sheet.name << ", " << problem.m << " x " << problem.n << " x " << problem.k << ": "
                        << to_string(all.front().config));
        if (is_local_in_global(device)) {
          CHECK(kernel_of(all.front())->into_local == 0);
          CHECK(kernel_of(all.front())->results <= 64);
        }
        CHECK(std::all_of(all.begin(), all.end(),
                          [&](const Candidate& one) { return kernel_of(one)->is_calibrated; }));
      }
    }
  }
}

TEST_CASE("no prediction is faster than the device") {
  for (const Sheet& sheet : sheets) {
    const Device device = device_of(sheet);
    const DevicePeaks peaks = peaks_of(device);
    const double multiply_adds = std::max(peaks.multiply_adds, matrix_multiply_adds(device));
    ConfigCache configs(device, {});
    for (const Problem& problem : shapes()) {
      INFO(sheet.name << ": " << problem.m << " x " << problem.n << " x " << problem.k << ", batch of "
                      << problem.batch_count);
      const Candidate chosen = first_choice(problem, configs);
      REQUIRE(chosen.seconds);
      const double least =
          std::max(operations(problem) / (2.0 * multiply_adds * static_cast<double>(peaks.cores)),
                   bytes_of(problem) / peaks.bytes);
      CHECK(*chosen.seconds > least);
      CHECK(*chosen.seconds < 50.0 * least + 100e-6);
    }
  }
}

TEST_CASE("large GEMMs are predicted to reach a good part of the peak") {
  for (const Sheet& sheet : sheets) {
    const Device device = device_of(sheet);
    ConfigCache configs(device, {});
    const Problem problem = tight(4096, 4096, 4096);
    const Candidate chosen = first_choice(problem, configs);
    const double part =
        1e-12 * operations(problem) / *chosen.seconds / std::max(sheet.teraflops, sheet.matrix_teraflops);
    INFO(sheet.name << ": " << to_string(chosen.config) << ", " << part << " of the peak");
    CHECK(part > 0.3);
    CHECK(part < 0.95);
  }
}

TEST_CASE("matrix units for fp32 numbers are chosen if their peak is far above that of the vector units") {
  for (const Sheet& sheet : sheets) {
    INFO(sheet.name);
    const Device device = device_of(sheet);
    ConfigCache configs(device, {});
    const auto is_on_them = [&](const Candidate& one) {
      return configs.get(one.config.kernel, one.config.parameters)->manifest().matrix_units ==
             MatrixUnits::fp32;
    };
    const auto all =
        rank_candidates(tight(4096, 4096, 4096), configs, shipped_tuning(), no_limit, Precision::fp32)
            .candidates;
    CHECK(is_on_them(all.front()) == (sheet.matrix_teraflops > 1.2 * sheet.teraflops));
    CHECK(std::any_of(all.begin(), all.end(), is_on_them) == (sheet.matrix_teraflops > 0.0));
    for (const Candidate& one : all) {
      if (is_on_them(one)) CHECK(is_estimate(one));
    }
  }
}

TEST_CASE("unmeasured kernels with three fp16 products are chosen if their peak is far above that of fp32") {
  for (const Sheet& sheet : sheets) {
    INFO(sheet.name);
    const Device device = device_of(sheet);
    ConfigCache configs(device, {});
    const auto is_on_halves = [&](const Candidate& one) {
      const SharedConfig kernel = configs.get(one.config.kernel, one.config.parameters);
      return is_estimate(one) && kernel->products == 3 &&
             kernel->manifest().matrix_units == MatrixUnits::bits16;
    };
    const Problem problem = tight(4096, 4096, 4096);
    const auto all =
        rank_candidates(problem, configs, shipped_tuning(), no_limit, Precision::fp32_equivalent).candidates;
    const double of_fp32 = std::max(sheet.teraflops, sheet.matrix_teraflops);
    CHECK(is_on_halves(all.front()) == (sheet.half_teraflops / 3.0 > 2.0 * of_fp32));
    CHECK(std::any_of(all.begin(), all.end(), is_on_halves) == (sheet.half_teraflops > 0.0));
    for (const Candidate& one : all) {
      if (!is_on_halves(one)) continue;
      CHECK(*one.seconds > 3e-12 * operations(problem) / sheet.half_teraflops);
    }
    const Candidate fp32 = first_choice(problem, configs);
    CHECK(configs.get(fp32.config.kernel, fp32.config.parameters)->manifest().precision == Precision::fp32);
  }
}

TEST_CASE("an unmeasured config is chosen if its prediction is 1.2 times as fast as the measured ones") {
  std::size_t close = 0;  // expected to be faster, but only slightly
  for (const Sheet& sheet : sheets) {
    const Device device = device_of(sheet);
    ConfigCache configs(device, {});
    for (std::size_t side = 128; side <= 2048; side += 64) {
      const auto all = rank_candidates(tight(side, side, 1024), configs, shipped_tuning(), no_limit,
                                       Precision::fp32_equivalent)
                           .candidates;
      const auto estimate = std::find_if(all.begin(), all.end(), is_estimate);
      const auto measured = std::find_if_not(all.begin(), all.end(), is_estimate);
      if (estimate == all.end()) continue;
      REQUIRE(measured != all.end());
      INFO(sheet.name << ", " << side << ": " << *estimate->seconds << " and " << *measured->seconds);
      // A rate that was measured with another kind of local memory counts as unmeasured.
      const bool is_known =
          !is_local_in_global(device) ||
          configs.get(measured->config.kernel, measured->config.parameters)->into_local == 0;
      const double margin = is_known ? 1.2 : 1.0;
      CHECK((estimate < measured) == (margin * *estimate->seconds < *measured->seconds));
      close += *estimate->seconds < *measured->seconds && measured < estimate;
    }
  }
  CHECK(close > 0);
}

TEST_CASE("chosen configs fit the registers and the sub-groups of the device") {
  for (const Sheet& sheet : sheets) {
    const Device device = device_of(sheet);
    const DeviceFacts facts = facts_of(device);
    ConfigCache configs(device, {});
    for (const Problem& problem : shapes()) {
      const Candidate chosen = first_choice(problem, configs);
      INFO(sheet.name << ": " << to_string(chosen.config));
      const auto kernel = configs.get(chosen.config.kernel, chosen.config.parameters);
      CHECK(kernel->results <= facts.most_results);
      CHECK(kernel->work_items() >= facts.sub_group);
    }
  }
}

TEST_CASE("Intel's compiler gets the options that a kernel's registers need, and Mesa's does not") {
  const auto options = [](const char* name, const char* platform, const Parameters& values,
                          const char* kernel = "direct") {
    const auto sheet = std::find_if(std::begin(sheets), std::end(sheets), [&](const Sheet& one) {
      return std::string_view(one.name).find(name) != std::string_view::npos;
    });
    REQUIRE(sheet != std::end(sheets));
    Device device = device_of(*sheet);
    device.platform_name = platform;
    ConfigCache configs(device, {});
    return configs.get(kernel, values)->build_options;
  };
  const Parameters large = {{"BM", 64}, {"BN", 64}, {"TM", 8}, {"TN", 4}, {"SLICES", 1}};
  const std::string more = "-cl-intel-256-GRF-per-thread";
  const std::string sub_group = "-DSUB_GROUP_SIZE=16";
  CHECK(contains(options("A770", intel_platform, large), more));
  CHECK_FALSE(contains(options("A770", intel_platform, large), sub_group));
  CHECK_FALSE(contains(options("A770", intel_platform, {}), more));
  CHECK_FALSE(contains(options("A770", "rusticl", large), more));
  CHECK_FALSE(contains(options("Iris", intel_platform, large), more));
  CHECK(contains(options("Max 1550", intel_platform, large), more));
  CHECK(contains(options("Max 1550", intel_platform, {}), sub_group));
  CHECK_FALSE(contains(options("Max 1550", "rusticl", {}), sub_group));
  for (const auto& [name, lanes, columns] :
       {std::tuple{"A770", 8, 8}, {"B580", 16, 16}, {"Max 1550", 16, 16}}) {
    const Parameters small = {{"LANES", lanes}, {"BM", 64}, {"BN", 64}, {"WM", 16}, {"WN", columns}};
    CHECK(contains(options(name, intel_platform, small, "fp16x3_dpas"), more));
  }
}

}  // namespace
}  // namespace clgemm
