#include "context.hpp"

#include "error.hpp"

namespace clgemm {
namespace {

// What lets the next candidate be tried: this device cannot run this kernel, while another one may.
bool is_kernels_fault(ErrorCode code) {
  return code == ErrorCode::requirement_failed || code == ErrorCode::device_limit_exceeded ||
         code == ErrorCode::build_failed;
}

}  // namespace

Context::State::State(const cl::Context& context, const cl::Device& device)
    : context_(context),
      device_(device),
      queue_(context, device),
      info_(describe(device)),
      programs_(context, device),
      scratch_(context, info_.global_bytes / 4) {}

Context::State::State(const cl::CommandQueue& queue)
    : State(queue.getInfo<CL_QUEUE_CONTEXT>(), queue.getInfo<CL_QUEUE_DEVICE>()) {}

Context::State::State(const cl::Device& device) : State(cl::Context(device), device) {}

BuiltPlan Context::State::plan(const Problem& problem, const Options& options) {
  if (!options.kernel.empty()) return plan_candidate(problem, {options.kernel, options.parameters}, options);
  if (!options.parameters.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "Options::parameters without Options::kernel: whose parameters?");
  }
  const std::vector<Candidate> all = candidates(problem, info_);
  for (const Candidate& candidate : all) {
    const bool is_last = &candidate == &all.back();
    if (!is_last && is_unusable(candidate)) continue;
    try {
      return plan_candidate(problem, candidate, options);
    } catch (const Error& error) {
      if (is_last || !is_kernels_fault(error.code())) throw;
      mark_unusable(candidate);
    }
  }
  throw Error(ErrorCode::internal_error, "no candidate kernel");
}

cl::Event Context::State::scale(const Problem& problem, const cl::Buffer& c, const cl::CommandQueue& queue,
                                const std::vector<cl::Event>& wait_for) {
  const SharedConfig config = configs({}).get("scale", {}, {});
  return enqueue_scale(*config, programs_.get(config), problem, c, queue, wait_for);
}

BuiltPlan Context::State::plan_candidate(const Problem& problem, const Candidate& candidate,
                                         const Options& options) {
  ConfigCache& cache = configs(kernel_folder_or_default(options.kernel_folder));
  return build(make_plan(problem, candidate, info_, cache, options.scratch_limit), programs_);
}

ConfigCache& Context::State::configs(const std::string& kernel_folder) {
  const std::lock_guard lock(mutex_);
  auto& cache = configs_[kernel_folder];
  if (!cache) cache = std::make_unique<ConfigCache>(info_, kernel_folder);
  return *cache;
}

bool Context::State::is_unusable(const Candidate& candidate) {
  const std::lock_guard lock(mutex_);
  return unusable_.count({candidate.kernel, candidate.parameters}) != 0;
}

void Context::State::mark_unusable(const Candidate& candidate) {
  const std::lock_guard lock(mutex_);
  unusable_.insert({candidate.kernel, candidate.parameters});
}

Context::Context() : Context(std::string{}) {}

Context::Context(const std::string& device)
    : state_(at_boundary([&] {
        return std::make_unique<State>(device.empty() ? default_device() : find_device(device));
      })) {}

Context::Context(cl_device_id device)
    : state_(at_boundary([&] {
        if (device == nullptr) throw Error(ErrorCode::invalid_argument, "the device is null");
        return std::make_unique<State>(cl::Device(device, true));
      })) {}

Context::Context(cl_command_queue queue)
    : state_(at_boundary([&] {
        if (queue == nullptr) throw Error(ErrorCode::invalid_argument, "the queue is null");
        return std::make_unique<State>(cl::CommandQueue(queue, true));
      })) {}

Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

cl_device_id Context::device() const {
  return state_->device()();
}
cl_context Context::context() const {
  return state_->context()();
}
cl_command_queue Context::queue() const {
  return state_->queue()();
}

}  // namespace clgemm
