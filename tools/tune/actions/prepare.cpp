#include "tune/actions/prepare.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "build/disk_cache.hpp"
#include "build/precompiled.hpp"
#include "build/program_cache.hpp"
#include "call/arguments.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning_files.hpp"
#include "common/clock.hpp"
#include "common/in_parallel.hpp"
#include "common/interrupt.hpp"
#include "common/progress.hpp"
#include "common/say.hpp"
#include "common/usage_error.hpp"
#include "common/whole_file.hpp"
#include "context/context.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "probe/probe.hpp"
#include "tune/actions/tuner.hpp"
#include "tune/calibration/calibration.hpp"
#include "tune/measuring/worker_process.hpp"

namespace clgemm::tune {
namespace {

using Json = nlohmann::ordered_json;

// The number of calibrated shapes. In choices for an H200, they need 534 programs, and 2000 shapes need 616.
// A rarer program is compiled when a call needs it.
constexpr std::size_t sample_count = 768;

SgemmShape as_called(const SampleShape& sample, bool transpose_a, bool transpose_b, std::size_t gap) {
  SgemmShape shape;
  shape.transpose_a = transpose_a ? Transpose::yes : Transpose::no;
  shape.transpose_b = transpose_b ? Transpose::yes : Transpose::no;
  shape.m = sample.m;
  shape.n = sample.n;
  shape.k = sample.k;
  shape.lda = (transpose_a ? sample.m : sample.k) + gap;
  shape.ldb = (transpose_b ? sample.k : sample.n) + gap;
  shape.ldc = sample.n + gap;
  shape.batch_count = sample.batch;
  if (sample.batch > 1) {
    shape.stride_a = shape.lda * (transpose_a ? sample.k : sample.m);
    shape.stride_b = shape.ldb * (transpose_b ? sample.n : sample.k);
  }
  return shape;
}

std::string in_words(const SgemmShape& shape) {
  return fmt::format("{} x {} x {}{}{}", shape.m, shape.n, shape.k,
                     shape.transpose_a == Transpose::yes ? ", A transposed" : "",
                     shape.transpose_b == Transpose::yes ? ", B transposed" : "");
}

std::string to_line(const SgemmShape& shape) {
  return Json{static_cast<int>(shape.transpose_a),
              static_cast<int>(shape.transpose_b),
              shape.m,
              shape.n,
              shape.k,
              shape.lda,
              shape.ldb,
              shape.ldc,
              shape.batch_count,
              shape.stride_a,
              shape.stride_b}
      .dump();
}

SgemmShape of_line(const std::string& line) {
  const Json json = Json::parse(line);
  SgemmShape shape;
  shape.transpose_a = json.at(0).get<Transpose>();
  shape.transpose_b = json.at(1).get<Transpose>();
  std::size_t next = 2;
  for (std::size_t* number : {&shape.m, &shape.n, &shape.k, &shape.lda, &shape.ldb, &shape.ldc,
                              &shape.batch_count, &shape.stride_a, &shape.stride_b})
    *number = json.at(next++);
  return shape;
}

// Returns the failures, one line for each shape.
std::vector<std::string> prepare_in_processes(const TuneOptions& options,
                                              const std::vector<SgemmShape>& shapes) {
  std::vector<std::string> questions;
  for (const SgemmShape& shape : shapes) questions.push_back(to_line(shape));
  bench::Progress progress;
  std::size_t done = 0;
  std::vector<std::string> failed;
  ask_in_processes(
      arguments_of_worker({"--preparing-worker"}, options), questions, options.limit_s,
      [&](std::size_t i, const WorkerProcess::Answer& answer) {
        const std::string failure =
            answer.line ? Json::parse(*answer.line).get<std::string>() : answer.failure;
        if (!failure.empty()) failed.push_back(fmt::format("{}: {}", in_words(shapes[i]), failure));
        progress.show(fmt::format("{} of {} kinds of call, {} failed", ++done, shapes.size(), failed.size()));
        return true;
      });
  return failed;
}

std::string failure_of(Context& context, const SgemmShape& shape, const Options& options) {
  try {
    context.prepare({shape}, options);
    state_of(context).finish_keeping();  // the parent may end this process as soon as it has the answer
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

// Writes the programs for kernels/precompiled/assemble.py, each into a file: FOLDER/tiled-TS32.cubin/HASH. It
// has PTX, or machine code if the program was precompiled. Returns how many programs there are.
std::size_t write_programs(const NeededPrograms& programs, const std::filesystem::path& folder) {
  const DiskCache cache = DiskCache::from_environment();
  std::size_t written = 0;
  programs.for_each([&](const KernelConfig& config) {
    const auto entry = cache.load(ProgramCache::disk_key(programs.device(), config));
    if (!entry || entry->trust == DiskCache::Trust::quarantined) return;
    const std::filesystem::path archive = folder / std::filesystem::path(precompiled_file(config)).stem();
    std::filesystem::create_directories(archive);
    bench::write_whole((archive / precompiled_hash(config)).string(),
                       {reinterpret_cast<const char*>(entry->binary.data()), entry->binary.size()});
    ++written;
  });
  return written;
}

}  // namespace

std::vector<SgemmShape> called_shapes(DeviceKind kind, std::size_t count, std::uint64_t seed) {
  std::vector<SgemmShape> result;
  for (const SampleShape& sample : calibrated_shapes(kind, count, seed)) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        for (const std::size_t gap : {std::size_t{0}, std::size_t{3}})
          result.push_back(as_called(sample, transpose_a, transpose_b, gap));
      }
    }
  }
  return result;
}

NeededPrograms::NeededPrograms(const Device& device, const std::string& kernel_folder)
    : device_(device), kernel_folder_(kernel_folder), tuning_(tuning_from_environment()) {}

void NeededPrograms::probe_if_needed(const cl::Device& device) {
  ConfigCache configs(device_, kernel_folder_);
  if (!gain_by_probe(usable_table(tuning_, configs), device_.kind)) return;
  if (const auto probed = probe(cl::Context(device), device, device_)) tuning_.scale_by(*probed);
}

std::vector<SharedConfig> NeededPrograms::programs_of(const SgemmShape& shape, ConfigCache& configs) const {
  const Problem problem = check_shape(shape, device_);
  const std::size_t limit = default_scratch_limit(device_);
  const Ranking ranking = rank_candidates(problem, configs, tuning_, limit);
  const Plan plan = make_plan(problem, ranking.candidates.front().config, configs, limit);
  std::vector<SharedConfig> result;
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) {
    result.push_back(plan.stages[stage].programs[role]);
  });
  return result;
}

std::vector<SgemmShape> NeededPrograms::add(const std::vector<SgemmShape>& shapes) {
  // Each part has its own cache of configs, because threads would wait for a common one.
  constexpr std::size_t parts = 16;
  std::vector<std::vector<SharedConfig>> programs(shapes.size());
  bench::in_parallel(parts, [&](std::size_t part) {
    ConfigCache configs(device_, kernel_folder_);
    for (std::size_t i = part; i < shapes.size(); i += parts) programs[i] = programs_of(shapes[i], configs);
  });
  std::vector<SgemmShape> result;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t before = programs_.size();
    for (const SharedConfig& config : programs[i])
      programs_.insert({{config->manifest().name, config->build_options}, config});
    if (programs_.size() != before) result.push_back(shapes[i]);
  }
  return result;
}

int prepare(const TuneOptions& options) {
  const DiskCache::Info cache = DiskCache::from_environment().info();
  if (!cache.problem.empty()) {
    throw bench::UsageError(fmt::format("--prepare has no folder for compiled programs: {}", cache.problem));
  }
  const auto begin = std::chrono::steady_clock::now();
  const cl::Device chosen = options.device.empty() ? default_device() : find_device(options.device);
  const Device device = describe(chosen);
  if (!options.programs_to.empty() && device.platform_name != "NVIDIA CUDA")
    throw bench::UsageError(fmt::format("--keep-programs needs an NVIDIA GPU; this is '{}'", device.name));
  NeededPrograms programs(device, options.kernel_folder);
  programs.probe_if_needed(chosen);  // before the workers do it, because they would disturb each other
  const std::size_t count = options.calibration_shapes == 0 ? sample_count : options.calibration_shapes;
  const std::vector<SgemmShape> shapes = programs.add(called_shapes(device.kind, count, options.search.seed));
  const bench::InterruptNoted noted;
  const std::vector<std::string> failed = prepare_in_processes(options, shapes);
  if (bench::interrupted()) {
    bench::say("clgemm-tune", "stopped; compiled programs are kept, and the same command continues");
    return bench::interrupted_status();
  }
  for (const std::string& line : failed) fmt::print("FAILED {}\n", printable(line));
  fmt::print("{} programs for {} kinds of call on {} are in {}, {:.1f} s\n", programs.count(),
             shapes.size() - failed.size(), device.name, cache.folder, bench::ms_since(begin) / 1e3);
  if (!options.programs_to.empty())
    fmt::print("{} of them are in {}\n", write_programs(programs, options.programs_to), options.programs_to);
  return failed.empty() ? all_is_well : something_failed;
}

void run_preparing_worker(const std::string& device, const std::string& kernel_folder) {
  AnsweringProcess process;
  Context context(device);
  Options options;
  options.kernel_folder = kernel_folder;
  process.run([&](const std::string& line) {
    return Json(failure_of(context, of_line(line), options))
        .dump(-1, ' ', true, Json::error_handler_t::replace);
  });
}

}  // namespace clgemm::tune
