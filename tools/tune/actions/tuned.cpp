#include "tune/actions/tuned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/printable.hpp"
#include "choose/tuning_files.hpp"
#include "choose/tuning_json.hpp"
#include "common/say.hpp"
#include "common/usage_error.hpp"
#include "tune/actions/run_setup.hpp"
#include "tune/actions/tuner.hpp"
#include "tune/actions/tuning_output.hpp"

namespace clgemm::tune {
namespace {

bool is_empty(const TuningFile& file) {
  return file.measured.empty() && file.configs.empty();
}

std::string contents_of(const TuningFile& file) {
  return fmt::format("{} configs, {} shapes", file.configs.size(), file.measured.size());
}

void list_file(const TuningFile& file) {
  const TunedDevice& device = file.device;
  fmt::print("{}\n", printable(fmt::format("{}: {}; {} ({}, driver {})", file.path, contents_of(file),
                                           device.name, device.platform, device.driver)));
  for (const TunedEntry& one : file.measured) {
    fmt::print("{}\n", printable(fmt::format("  {} x {} x {}{}{}: {}, {:.4g} GFLOPS{}", one.size.m,
                                             one.size.n, one.size.k, one.transpose_a ? ", A transposed" : "",
                                             one.transpose_b ? ", B transposed" : "", to_string(one.config),
                                             one.gflops(), one.space.empty() ? "" : ", of " + one.space)));
  }
}

// Returns true if the options name this shape, or no shape.
bool is_asked_for(const TunedEntry& entry, const TuneOptions& options) {
  return entry.transpose_a == options.transpose_a && entry.transpose_b == options.transpose_b &&
         std::any_of(options.sizes.begin(), options.sizes.end(), [&](const bench::Size& size) {
           return entry.size == GemmSize{size.m, size.n, size.k};
         });
}

}  // namespace

int list_tuned(const TuneOptions& options) {
  if (!options.output.empty()) {
    list_file(read_file(options.output));
    return all_is_well;
  }
  const Tuning tuning = tuning_from_environment();
  const auto is_built_in = [](const TuningFile& file) { return file.path.starts_with("built-in/"); };
  for (const TuningFile& file : tuning.files()) {
    if (!is_built_in(file)) list_file(file);
  }
  if (std::all_of(tuning.files().begin(), tuning.files().end(), is_built_in))
    fmt::print("there are only the data that come with clgemm; searched in {}\n",
               user_tuning_folder().string());
  for (const std::string& one : tuning.passed_over()) fmt::print("not used: {}\n", one);
  return all_is_well;
}

int forget_tuned(const TuneOptions& options) {
  const std::filesystem::path path = RunSetup(options).output;
  if (!std::filesystem::exists(path)) {
    bench::say("clgemm-tune",
               fmt::format("there is no file '{}', so there is nothing to forget", path.string()));
    return something_failed;
  }
  TuningFile file = read_file(path);
  const TuningFile before = file;
  if (options.sizes.empty()) {
    file.measured.clear();
    file.configs.clear();
  } else {
    std::erase_if(file.measured, [&](const TunedEntry& one) { return is_asked_for(one, options); });
  }
  const std::size_t shapes = before.measured.size() - file.measured.size();
  const std::size_t configs = before.configs.size() - file.configs.size();
  if (shapes + configs == 0) {
    bench::say("clgemm-tune",
               fmt::format("'{}' has no such data, so there is nothing to forget", path.string()));
    return something_failed;
  }
  if (is_empty(file)) {
    std::filesystem::remove(path);
  } else {
    write_output(path, file);
  }
  fmt::print("forgotten: {} configs, {} shapes of {}\n", configs, shapes, path.string());
  return all_is_well;
}

int export_tuning(const TuneOptions& options) {
  demand_writable(options.other_file);
  const RunSetup setup(options);
  if (!std::filesystem::exists(setup.output)) {
    bench::say("clgemm-tune", fmt::format("there is no file '{}': '{}' has not been tuned yet (run "
                                          "clgemm-tune), or the data are in another file (--output)",
                                          setup.output.string(), setup.device.name));
    return something_failed;
  }
  const TuningFile file = read_output(setup.output, setup.device);
  if (is_empty(file)) {
    bench::say("clgemm-tune", fmt::format("'{}' has no data for '{}'; tune first", setup.output.string(),
                                          setup.device.name));
    return something_failed;
  }
  write_output(options.other_file, file);
  fmt::print("written: {}, {}\n", options.other_file, contents_of(file));
  return all_is_well;
}

int import_tuning(const TuneOptions& options) {
  const RunSetup setup(options);
  const TuningFile from = read_file(options.other_file);
  if (kinship(from.device, setup.device) != Kinship::same) {
    bench::say(
        "clgemm-tune",
        fmt::format("'{}' is for '{}' ({}), but this device is '{}' ({}), so clgemm would not use the file",
                    options.other_file, from.device.name, from.device.platform, setup.device.name,
                    setup.device.platform_name));
    return something_failed;
  }
  demand_writable(setup.output);
  TuningFile file = read_output(setup.output, setup.device);
  if (from.rates) {
    file.rates = from.rates;
    file.configs = from.configs;
    file.device.probed = from.device.probed;
  }
  for (const TunedEntry& one : from.measured) replace_entry(file, one);
  write_output(setup.output, file);
  fmt::print("written: {}, {} of them from {}\n", setup.output.string(), contents_of(file),
             contents_of(from));
  return all_is_well;
}

}  // namespace clgemm::tune
