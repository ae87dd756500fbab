#include "tune/actions/run_setup.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <stdexcept>

#include "base/environment.hpp"
#include "tune/actions/tuning_output.hpp"
#include "tune/measuring/fake_times.hpp"
#include "tune/searching/sizes.hpp"

namespace clgemm::tune {
namespace {

Device device_of(const TuneOptions& options) {
  return describe(options.device.empty() ? default_device() : find_device(options.device));
}

std::vector<bench::Size> sizes_of(const TuneOptions& options, DeviceKind kind) {
  if (!options.sizes.empty()) return options.sizes;
  if (options.action == Action::check) return {bench::odd_size};
  return default_sizes(kind);
}

}  // namespace

RunSetup::RunSetup(const TuneOptions& options)
    : device(device_of(options)),
      library(options.kernel_folder),
      spaces(spaces_of(options.kernels, device, library)),
      sizes(sizes_of(options, device.kind)),
      output(options.output.empty() ? default_output(device) : std::filesystem::path(options.output)) {}

std::string describe_run(const TuneOptions& options, RunSetup& setup) {
  const Device& device = setup.device;
  const SearchSettings& search = options.search;
  std::string text =
      fmt::format("{} {} {} {}; {} seed {} samples {} limit {}; form {}{}{}", CLGEMM_VERSION, device.name,
                  device.platform_name, device.driver_version,
                  options.quick                         ? "quick calibration"
                  : options.action == Action::calibrate ? "calibration"
                                                        : "tuning",
                  search.seed, search.samples, options.limit_s, options.transpose_a ? 't' : 'n',
                  options.transpose_b ? 't' : 'n', times_are_fake() ? "; fake" : "");
  for (const bench::Size& size : setup.sizes) text += "; " + bench::to_string(size);
  for (const KernelSpace& space : setup.spaces) {
    const std::string& source = setup.library.find(space.kernel).file->source;
    text += fmt::format("; {} {:016x}", space.kernel, XXH3_64bits(source.data(), source.size()));
  }
  return text;
}

std::unique_ptr<Journal> open_journal(const TuneOptions& options, RunSetup& setup) {
  const std::string run = describe_run(options, setup);
  const auto hash = static_cast<std::uint32_t>(XXH3_64bits(run.data(), run.size()));
  const std::filesystem::path path = fmt::format("{}.{:08x}.journal", setup.output.string(), hash);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  if (options.fresh) std::filesystem::remove(path);
  return std::make_unique<Journal>(path, run);
}

OwnCaches::OwnCaches(const std::filesystem::path& output) : folder_(output.string() + ".programs") {
  std::filesystem::create_directories(folder_);
  folder_ = std::filesystem::absolute(folder_);
  // If the folder disappears meanwhile, it belonged to another run, which has ended.
  while (!locked(output)) std::filesystem::create_directories(folder_);
  std::error_code ignored;  // without the folder, programs are not stored
  std::filesystem::permissions(folder_,
                               std::filesystem::perms::group_write | std::filesystem::perms::others_write,
                               std::filesystem::perm_options::remove, ignored);
  set_environment("CLGEMM_CACHE", "1");
  set_environment("CLGEMM_CACHE_DIR", folder_.string());
  set_environment("CLGEMM_PROBE", "0");  // without a cache, each process would probe again
  set_environment("POCL_CACHE_DIR", folder_.string());
  set_environment("CUDA_CACHE_PATH", folder_.string());
}

bool OwnCaches::locked(const std::filesystem::path& output) {
  switch (lock_.lock(folder_)) {
    case FolderLock::State::held:
      return true;
    case FolderLock::State::folder_is_gone:
      return false;
    case FolderLock::State::of_another_process:
      throw std::runtime_error(fmt::format("another clgemm-tune is working on '{}'", output.string()));
  }
  return false;
}

OwnCaches::~OwnCaches() {
  lock_.remove_folder(folder_);
}

}  // namespace clgemm::tune
