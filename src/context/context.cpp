#include "context/context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/forked.hpp"
#include "call/arguments.hpp"
#include "context/log_lines.hpp"
#include "plan/blocks.hpp"

namespace clgemm {

Context::State::State(const cl::Context& context, const cl::Device& device)
    : context_(context),
      device_(device),
      queue_(context, device),
      info_(describe(device)),
      health_(context, device, info_.name),
      programs_(context, device, info_, DiskCache::from_environment()),
      chooser_(context, device, info_, programs_),
      scratch_(context, CL_MEM_READ_WRITE, default_scratch_limit(info_)) {
  log_variables();
}

Context::State::State(const cl::CommandQueue& queue)
    : State(queue.getInfo<CL_QUEUE_CONTEXT>(), queue.getInfo<CL_QUEUE_DEVICE>()) {}

Context::State::State(const cl::Device& device) : State(new_context(device), device) {}

Context::State::CheckedCall Context::State::check(const SgemmCall& call, const DeviceMatrix& a,
                                                  const DeviceMatrix& b, const DeviceMatrix& c,
                                                  const Options& options) const {
  const Extents extents = check_call(call);
  CheckedCall checked{call, canonical(call), {}, {}};
  checked.buffers = place_operands(call, extents, a, b, c, context_, info_, checked.problem);
  if (options.scratch != nullptr) check_scratch(options.scratch, checked.buffers, context_, info_);
  return checked;
}

cl::Event Context::State::enqueue(const CheckedCall& checked, const cl::CommandQueue& queue,
                                  const std::vector<cl::Event>& wait_for, const Options& options) {
  const SgemmCall& call = checked.call;
  if (reads_a_and_b(call)) return multiply(checked, queue, wait_for, options);
  const bool is_empty = call.m == 0 || call.n == 0 || call.batch_count == 0;
  if (!is_empty && call.beta != 1.0f)
    return scale(checked.problem, checked.buffers.c, queue, wait_for, options);
  cl::Event nothing_to_do;
  queue.enqueueMarkerWithWaitList(&wait_for, &nothing_to_do);
  return nothing_to_do;
}

std::shared_ptr<const ChosenPlan> Context::State::plan(const Problem& problem, const Options& options) {
  return chooser_.choose(problem, options, scratch_limit(options));
}

std::string Context::State::explain(const Problem& problem, const Options& options) {
  const std::shared_ptr<const ChosenPlan> chosen = plan(problem, options);
  return describe(chosen->built.plan) + describe(chosen->choice);
}

double Context::State::predicted_seconds(const Problem& problem, const Options& options) {
  return chooser_.predicted_seconds(problem, options, scratch_limit(options));
}

std::size_t Context::State::scratch_limit(const Options& options) const {
  if (options.scratch != nullptr) return cl::Buffer(options.scratch, true).getInfo<CL_MEM_SIZE>();
  if (options.scratch_limit == 0) return default_scratch_limit(info_);
  return std::min(options.scratch_limit, info_.max_allocation_bytes);
}

cl::Event Context::State::multiply(const CheckedCall& checked, const cl::CommandQueue& queue,
                                   const std::vector<cl::Event>& wait_for, const Options& options) {
  const Problem& problem = checked.problem;
  Buffers buffers = checked.buffers;
  if (!checked.products.empty()) buffers.list = lists_.on_device(context_, checked.products);
  Attempt attempt{scratch_limit(options), wait_for, {}};
  for (;;) {
    const std::shared_ptr<const ChosenPlan> chosen = choose(problem, options, attempt);
    Progress progress;
    try {
      return at_boundary([&] {
        const BuiltPlan& built = chosen->built;
        const cl::Event done =
            multiply_as_planned(built, buffers, queue, attempt.wait_for, options, progress);
        for (const auto& program : built.programs()) programs_.keep(program);
        log_call(checked.call, problem, *chosen, info_.name, progress);
        return done;
      });
    } catch (const Error& error) {
      health_.look_after(error);
      if (progress.c_touched || !can_try_again(error, *chosen, options, attempt)) throw;
      // What the failed attempt has packed, or is packing still, lies where the next one packs.
      attempt.wait_for.insert(attempt.wait_for.end(), progress.under_way.begin(), progress.under_way.end());
    }
  }
}

std::shared_ptr<const ChosenPlan> Context::State::choose(const Problem& problem, const Options& options,
                                                         const Attempt& attempt) {
  try {
    return chooser_.choose(problem, options, attempt.scratch_limit);
  } catch (const Error& error) {
    if (attempt.why.empty()) throw;
    throw Error(error.code(),
                fmt::format("{}; another way was looked for because {}", error.what(), attempt.why));
  }
}

bool Context::State::can_try_again(const Error& error, const ChosenPlan& failed, const Options& options,
                                   Attempt& attempt) {
  const std::size_t scratch_bytes = failed.built.plan.scratch_bytes;
  if (error.code() == ErrorCode::out_of_memory && scratch_bytes != 0) {
    attempt.scratch_limit = scratch_bytes / 2;
  } else if (error.code() != ErrorCode::device_limit_exceeded || !named_kernel(options).empty() ||
             !chooser_.give_up(failed.choice.chosen.config, options, error.what())) {
    return false;
  }
  if (attempt.why.empty()) attempt.why = error.what();
  return true;
}

cl::Event Context::State::multiply_as_planned(const BuiltPlan& built, const Buffers& buffers,
                                              const cl::CommandQueue& queue,
                                              const std::vector<cl::Event>& wait_for, const Options& options,
                                              Progress& progress) {
  if (options.scratch != nullptr || built.plan.scratch_bytes == 0) {
    const cl::Buffer scratch(options.scratch, true);
    return enqueue_multiply(built, buffers, scratch, queue, wait_for, progress);
  }
  ScratchPool::Buffer scratch = scratch_.take(built.plan.scratch_bytes, queue, wait_for);
  std::vector<cl::Event> before = wait_for;
  if (scratch.last_use() != nullptr) before.push_back(scratch.last_use);
  const cl::Event done = enqueue_multiply(built, buffers, scratch.memory, queue, before, progress);
  scratch_.give_back({scratch.memory, scratch.bytes, done, queue, !wait_for.empty()});
  return done;
}

cl::Event Context::State::scale(const Problem& problem, const cl::Buffer& c, const cl::CommandQueue& queue,
                                const std::vector<cl::Event>& wait_for, const Options& options) {
  const SharedConfig config = chooser_.helper("scale", options);
  const auto program = programs_.get(config, Purpose::chosen);
  const cl::Event done = enqueue_scale(*config, program, problem, c, queue, wait_for);
  programs_.keep(program);
  return done;
}

Context::State& state_of(Context& context) {
  return *context.state_;
}

Context::Context() : Context(std::string{}) {}

Context::Context(const std::string& device)
    : state_(at_boundary([&] {
        return std::make_unique<State>(device.empty() ? default_device() : find_device(device));
      })) {}

Context::Context(cl_device_id device)
    : state_(at_boundary([&] {
        claim_process();
        if (device == nullptr) throw Error(ErrorCode::invalid_argument, "the device is null");
        return std::make_unique<State>(cl::Device(device, true));
      })) {}

Context::Context(cl_command_queue queue)
    : state_(at_boundary([&] {
        claim_process();
        if (queue == nullptr) throw Error(ErrorCode::invalid_argument, "the queue is null");
        return std::make_unique<State>(cl::CommandQueue(queue, true));
      })) {}

Context::~Context() {
  if (is_forked_child()) static_cast<void>(state_.release());
}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&& other) noexcept {
  Context moved(std::move(other));
  state_.swap(moved.state_);
  return *this;
}

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
