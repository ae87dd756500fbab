#include "build/program_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/error.hpp"
#include "base/handles.hpp"
#include "base/log.hpp"
#include "build/compile.hpp"
#include "build/precompiled.hpp"
#include "build/spills.hpp"
#include "kernel/contract.hpp"

namespace clgemm {
namespace {

Error quarantine_error(const KernelConfig& config) {
  return Error(
      ErrorCode::self_test_failed,
      fmt::format(
          "the kernel '{}' with {} is in quarantine, because it gave a wrong result in its self-test on this "
          "device and driver (clgemm-bench --cache lists quarantined kernels, and can clear them)",
          config.name, describe_values(config.values)));
}

// Ends a turn if it has not ended yet.
class EndOfTurn {
 public:
  explicit EndOfTurn(Turn* turn) : turn_(turn) {}
  ~EndOfTurn() {
    if (turn_ != nullptr) turn_->end();
  }
  EndOfTurn(const EndOfTurn&) = delete;
  EndOfTurn& operator=(const EndOfTurn&) = delete;

 private:
  Turn* turn_;
};

// A program that was not compiled here. It is null if there is none.
struct Loaded {
  cl::Program program;
  std::optional<CheckedKernel> kernel;
};

// Returns nothing if the driver does not accept the binary, or if its program lacks the kernel. A precompiled
// program may be newer than the driver.
Loaded load_checked(const std::vector<unsigned char>& binary, const KernelConfig& config,
                    const cl::Context& context, const cl::Device& device) {
  if (binary.empty()) return {};
  try {
    cl::Program program = load(binary, config, context, device);
    if (program() != nullptr) return {program, checked_kernel(config, program, device)};
  } catch (const Error& failure) {
    log(LogLevel::debug, failure.what());
  }
  log(LogLevel::debug, fmt::format("the driver refused a binary of {}", title_of(config)));
  return {};
}

bool runs_precompiled(const Device& device) {
  return device.platform_name == "NVIDIA CUDA" && device.nvidia_sm == 90;
}

}  // namespace

BuiltKernel::BuiltKernel(cl::Program program, const char* entry, cl::Kernel first, Passing passing,
                         std::string key, std::string title, std::vector<unsigned char> binary)
    : program_(std::move(program)),
      entry_(entry),
      passing_(passing),
      key_(std::move(key)),
      title_(std::move(title)),
      binary_(std::move(binary)) {
  idle_.push_back({std::move(first), {}, {}});
}

BuiltKernel::Lease::Lease(std::shared_ptr<BuiltKernel> owner) : owner_(std::move(owner)) {
  const std::lock_guard lock(owner_->mutex_);
  if (!owner_->idle_.empty()) {
    held_ = std::move(owner_->idle_.back());
    owner_->idle_.pop_back();
    return;
  }
  held_.kernel = cl::Kernel(owner_->program_, owner_->entry_);
}

BuiltKernel::Lease::~Lease() {
  try {
    const std::lock_guard lock(owner_->mutex_);
    owner_->idle_.push_back(std::move(held_));
  } catch (const std::exception&) {
    return;  // no memory: the kernel is released instead
  }
}

ProgramCache::ProgramCache(cl::Context context, cl::Device device, const Device& info, DiskCache disk)
    : context_(std::move(context)),
      device_(std::move(device)),
      info_(info),
      gives_binaries_(info.platform_name != "Portable Computing Language"),
      disk_(std::move(disk)) {}

ProgramCache::~ProgramCache() {
  finish_keeping();
}

std::shared_ptr<BuiltKernel> ProgramCache::get(const std::shared_ptr<const KernelConfig>& config,
                                               Purpose purpose, Turn* turn) {
  const EndOfTurn end(turn);
  auto built = get_any(config, purpose, turn);
  if (purpose == Purpose::chosen && built->trust == DiskCache::Trust::quarantined)
    throw quarantine_error(*config);
  return built;
}

bool ProgramCache::has(const std::shared_ptr<const KernelConfig>& config) {
  const std::lock_guard lock(mutex_);
  return programs_.count({config->file, config->build_options}) != 0;
}

bool ProgramCache::is_built(const std::shared_ptr<const KernelConfig>& config) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find({config->file, config->build_options});
  return found != programs_.end() &&
         found->second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

std::shared_ptr<BuiltKernel> ProgramCache::get_any(const std::shared_ptr<const KernelConfig>& config,
                                                   Purpose purpose, Turn* turn) {
  const Key key{config->file, config->build_options};
  std::promise<std::shared_ptr<BuiltKernel>> promise;
  {
    std::unique_lock lock(mutex_);
    if (const auto found = programs_.find(key); found != programs_.end()) {
      const Pending pending = found->second;
      lock.unlock();
      if (turn != nullptr) turn->end();
      return pending.get();
    }
    programs_.emplace(key, promise.get_future().share());
  }
  try {
    auto built = build(*config, purpose, turn);
    promise.set_value(built);
    return built;
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      programs_.erase(key);
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}

std::shared_ptr<BuiltKernel> ProgramCache::build(const KernelConfig& config, Purpose purpose,
                                                 Turn* turn) const {
  const std::string key = disk_key(info_, config);
  const std::optional<DiskCache::Entry> entry = disk_.load(key);
  const bool has_verdict = entry && entry->trust == DiskCache::Trust::quarantined;
  if (has_verdict && purpose == Purpose::chosen) throw quarantine_error(config);
  // The entry may be a verdict instead of a binary. Rusticl (Mesa 22.3) ends the process if it gets anything
  // but a binary.
  const bool has_binary = entry && !has_verdict;
  if (has_binary && turn != nullptr) turn->end();
  const char* origin = "loaded from the cache:";
  Loaded loaded = has_binary ? load_checked(entry->binary, config, context_, device_) : Loaded{};
  const bool from_disk = loaded.program() != nullptr;
  std::size_t spilled = from_disk ? entry->spilled_bytes : 0;
  if (!from_disk) {
    origin = "precompiled:";
    const PrecompiledProgram precompiled =
        runs_precompiled(info_) ? precompiled_program(config) : PrecompiledProgram{};
    if (!precompiled.binary.empty() && turn != nullptr) turn->end();
    loaded = load_checked(precompiled.binary, config, context_, device_);
    spilled = precompiled.spilled_bytes;
  }
  if (loaded.program() == nullptr) {
    origin = "compiled:";
    loaded.program = compile(config, context_, device_, turn);
    loaded.kernel = checked_kernel(config, loaded.program, device_);
    spilled = spilled_bytes(loaded.program, loaded.kernel->kernel, device_, info_);
  }
  log(LogLevel::debug, fmt::format("{} {}", origin, title_of(config)));

  auto built = std::make_shared<BuiltKernel>(
      loaded.program, contract_of(config.manifest().role).function, std::move(loaded.kernel->kernel),
      loaded.kernel->passing, key, title_of(config) + " on " + info_.name,
      from_disk ? std::vector<unsigned char>{} : binary_to_keep(loaded.program));
  if (entry) built->trust = entry->trust;
  built->spilled_bytes = spilled;
  built->is_new = !entry.has_value();
  return built;
}

// Every field ends in a line feed or follows its length, so that no two builds have the same key. A program
// is not loaded from disk if clgemm has come with another one since.
std::string ProgramCache::disk_key(const Device& device, const KernelConfig& config) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{:x}\n{}\n{}", device.name, device.driver_version,
                     device.platform_name, device.platform_version, config.build_options,
                     runs_precompiled(device) ? precompiled_version(config) : 0, config.file->source.size(),
                     config.file->source);
}

void ProgramCache::keep(const std::shared_ptr<BuiltKernel>& built) {
  // Read first: all calls come here, and a write would take the cache line from other threads.
  if (!built->is_new || !built->is_new.exchange(false) || !disk_.is_on()) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(keeping_, [](const std::future<void>& task) {
    return task.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  try {
    keeping_.push_back(std::async(std::launch::async, [this, built] { store(*built); }));
  } catch (const std::system_error&) {
    built->is_new = true;  // no thread could be started: the next call tries again
  }
}

void ProgramCache::finish_keeping() {
  std::vector<std::future<void>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(keeping_);
  }
  for (const std::future<void>& task : tasks) task.wait();
}

// Returns the binary of a new program. The thread that has waited for the compiler asks for it, before any
// other thread has the program. A later query would have to stop all launches, because an implementation may
// fail if a kernel starts or finishes meanwhile. Empty if there is no binary, or if none is wanted.
std::vector<unsigned char> ProgramCache::binary_to_keep(const cl::Program& program) const noexcept {
  try {
    if (gives_binaries_ && disk_.is_on()) return binary_of(program, device_);
  } catch (const std::exception& failure) {
    log(LogLevel::debug, fmt::format("a program will not be kept on disk: {}", failure.what()));
  }
  return {};
}

void ProgramCache::store(BuiltKernel& built) const noexcept {
  try {
    const std::lock_guard lock(built.storing_);
    if (built.trust == DiskCache::Trust::quarantined) {
      disk_.quarantine(built.key_, {std::chrono::system_clock::now(), built.title_});
      return;
    }
    if (!gives_binaries_) {
      disk_.store(built.key_, {built.trust, {}, built.spilled_bytes});
      return;
    }
    std::vector<unsigned char> binary = std::exchange(built.binary_, {});
    if (binary.empty()) {  // only the trust is new
      if (const auto stored = disk_.load(built.key_)) binary = stored->binary;
    }
    if (!binary.empty()) disk_.store(built.key_, {built.trust, binary, built.spilled_bytes});
  } catch (const std::exception& failure) {
    log(LogLevel::debug, fmt::format("a program was not kept on disk: {}", failure.what()));
  }
}

}  // namespace clgemm
