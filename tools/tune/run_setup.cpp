#include "tune/run_setup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "tune/fake_times.hpp"
#include "tune/sizes.hpp"
#include "tune/tuning_output.hpp"

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
  std::string text = fmt::format("{} {} {} {}; {} search {} seed {} samples {} limit {}; form {}{}{}",
                                 CLGEMM_VERSION, device.name, device.platform_name, device.driver_version,
                                 options.quick                         ? "quick calibration"
                                 : options.action == Action::calibrate ? "calibration"
                                                                       : "tuning",
                                 static_cast<int>(search.kind), search.seed, search.samples, options.limit_s,
                                 options.transpose_a ? 't' : 'n', options.transpose_b ? 't' : 'n',
                                 times_are_fake() ? "; fake" : "");
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
  // A folder that goes away meanwhile is another run's, which has ended.
  while (!locked(output)) std::filesystem::create_directories(folder_);
  std::filesystem::permissions(
      folder_, std::filesystem::perms::owner_all);  // clgemm takes no programs that others may have written
  setenv("CLGEMM_CACHE", "1", 1);
  setenv("CLGEMM_CACHE_DIR", folder_.c_str(), 1);
  setenv("CLGEMM_PROBE", "0", 1);  // which each process would make anew, without a cache
  setenv("POCL_CACHE_DIR", folder_.c_str(), 1);
  setenv("CUDA_CACHE_PATH", folder_.c_str(), 1);
}

bool OwnCaches::locked(const std::filesystem::path& output) {
  lock_ = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) return errno != ENOENT;
  const bool has_lock = flock(lock_, LOCK_EX | LOCK_NB) == 0;
  if (!has_lock && errno != EWOULDBLOCK) return true;  // a file system without locks
  struct stat held {};
  struct stat named {};
  const bool is_there = fstat(lock_, &held) == 0 && stat(folder_.c_str(), &named) == 0 &&
                        held.st_dev == named.st_dev && held.st_ino == named.st_ino;
  if (has_lock && is_there) return true;
  close(lock_);
  if (is_there)
    throw std::runtime_error(fmt::format("another clgemm-tune is at work on '{}'", output.string()));
  return false;
}

OwnCaches::~OwnCaches() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  if (lock_ >= 0) close(lock_);
}

}  // namespace clgemm::tune
