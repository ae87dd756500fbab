#include "context/context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/forked.hpp"
#include "base/handles.hpp"
#include "base/log.hpp"
#include "log/log_lines.hpp"
#include "plan/blocks.hpp"
#include "plan/k_split.hpp"
#include "probe/probe.hpp"

namespace clgemm {
namespace {

// All buffers of arrivals have the same size, so each of them can be used for any call.
constexpr std::size_t arrivals_bytes = most_arrivals * sizeof(cl_uint);
constexpr std::size_t kept_arrivals = 16;  // for as many queues

}  // namespace

Context::State::State(const cl::Context& context, const cl::Device& device)
    : context_(context),
      device_(device),
      queue_(context, device),
      info_(describe(device)),
      health_(context, device, info_.name),
      programs_(context, device, info_, DiskCache::from_environment()),
      chooser_(context, device, info_, programs_),
      scratch_(context, CL_MEM_READ_WRITE, default_scratch_limit(info_)),
      arrivals_(context, CL_MEM_READ_WRITE, kept_arrivals * arrivals_bytes, ScratchPool::Content::zeros),
      host_(context, device, queue_, info_, health_, scratch_, *this),
      host_batches_(info_, host_, *this) {
  log_variables();
}

Context::State::State(const cl::CommandQueue& queue)
    : State(cl::Context(context_of(queue), true), cl::Device(device_of(queue), true)) {}

Context::State::State(const cl::Device& device) : State(new_context(device), device) {}

Enqueued Context::State::enqueue(const DeviceGemm& gemm, const Sequence& sequence, const Events& wait_for,
                                 const Options& options) {
  if (is_sum(gemm.problem)) return enqueue_sum(gemm, sequence, wait_for, options);
  switch (to_do(gemm.problem)) {
    case ToDo::gemm: {
      if (gemm.products.empty()) return multiply(gemm, gemm.buffers, sequence, wait_for, options);
      const cl::Buffer list = lists_.on_device(context_, gemm.products);
      Buffers buffers = gemm.buffers;
      buffers.list = list();
      return multiply(gemm, buffers, sequence, wait_for, options);
    }
    case ToDo::scale_c:
      return {scale(gemm.problem, gemm.buffers.c, sequence, wait_for, options), {}};
    case ToDo::nothing:
      break;
  }
  if (!sequence.by_events && !sequence.is_observed) return {};
  Events nothing_to_do(1);
  sequence.queue.enqueueMarkerWithWaitList(&wait_for, &nothing_to_do.front());
  return {nothing_to_do, {}};
}

Enqueued Context::State::enqueue_sum(const DeviceGemm& gemm, const Sequence& sequence, const Events& wait_for,
                                     const Options& options) {
  Events done = wait_for;
  const std::size_t terms = terms_of(gemm);
  for (std::size_t i = 0; i < terms; ++i) {
    const Sequence of_term{sequence.queue, sequence.by_events, sequence.is_observed && i + 1 == terms};
    done = enqueue(term_of(gemm, i), of_term, done, options).done;
  }
  return {std::move(done), {}};
}

std::shared_ptr<const ChosenPlan> Context::State::plan(const Problem& problem, const Options& options) {
  return chooser_.choose(problem, options, scratch_limit(options), Chooser::Needs::all_stages);
}

std::string Context::State::explain(const Problem& problem, const Options& options) {
  const std::shared_ptr<const ChosenPlan> chosen = plan(problem, options);
  std::string text = describe(chosen->built.plan) + describe(chosen->choice);
  for (const std::string& file : chooser_.tuning().passed_over())
    text += fmt::format("tuning file skipped: {}\n", file);
  const Source source = chosen->choice.chosen.origin.source;
  if (source != Source::named && source != Source::measured && !chooser_.has_own_rows())
    text += describe_unmeasured();
  return text;
}

std::string Context::State::describe_unmeasured() {
  const std::optional<Probed>& probed = chooser_.probed();
  return (probed ? fmt::format("no tuning data for this device; the data of another device, scaled by a "
                               "probe of this one: {}\n",
                               to_string(*probed))
                 : "") +
         fmt::format("{}\n", nothing_measured);
}

double Context::State::predicted_seconds(const Problem& problem, const Options& options) {
  return chooser_.predicted_seconds(problem, options, scratch_limit(options));
}

std::size_t Context::State::scratch_limit(const Options& options) const {
  if (options.scratch != nullptr) return cl::Buffer(options.scratch, true).getInfo<CL_MEM_SIZE>();
  if (options.scratch_limit == 0) return default_scratch_limit(info_);
  return std::min(options.scratch_limit, info_.max_allocation_bytes);
}

Enqueued Context::State::multiply(const DeviceGemm& gemm, const Buffers& buffers, const Sequence& sequence,
                                  const Events& wait_for, const Options& options) {
  const Problem& problem = gemm.problem;
  // The log line of a call gets its time from the events of all commands.
  const Sequence told{sequence.queue, sequence.by_events || logs(LogLevel::debug), sequence.is_observed};
  // The host may not be allowed to read the caller's scratch.
  const bool can_ask = sequence.may_wait && options.scratch == nullptr;
  const auto needs = can_ask ? Chooser::Needs::first_stage : Chooser::Needs::all_stages;
  Attempt attempt{scratch_limit(options), needs, wait_for, {}};
  for (;;) {
    const std::shared_ptr<const ChosenPlan> chosen = choose(problem, options, attempt);
    Progress progress;
    try {
      return at_boundary([&] {
        const BuiltPlan& built = chosen->built;
        Events done =
            multiply_as_planned(*chosen, problem, buffers, told, attempt.wait_for, options, progress);
        for_each_program(built.plan, [&](std::size_t stage, ProgramRole role) {
          programs_.keep(built.stages[stage][role]);
        });
        log_call(gemm, chosen->choice.chosen, info_.name, progress);
        return Enqueued{std::move(done), std::move(progress.commands)};
      });
    } catch (const Error& error) {
      health_.look_after(error);
      if (progress.c_touched || !can_try_again(error, *chosen, options, attempt)) throw;
      // The failed attempt may still be packing into the memory that the next attempt uses, so the next one
      // must wait for it. A queue in order does so by itself.
      attempt.wait_for.insert(attempt.wait_for.end(), progress.commands.begin(), progress.commands.end());
    }
  }
}

std::shared_ptr<const ChosenPlan> Context::State::choose(const Problem& problem, const Options& options,
                                                         const Attempt& attempt) {
  try {
    return chooser_.choose(problem, options, attempt.scratch_limit, attempt.needs);
  } catch (const Error& error) {
    if (attempt.why.empty()) throw;
    throw Error(error.code(), fmt::format("{}; clgemm tried this after another way had failed: {}",
                                          error.what(), attempt.why));
  }
}

bool Context::State::can_try_again(const Error& error, const ChosenPlan& failed, const Options& options,
                                   Attempt& attempt) {
  const std::size_t scratch_bytes = failed.built.plan.scratch_bytes;
  if (error.code() == ErrorCode::out_of_memory && scratch_bytes != 0) {
    attempt.scratch_limit = scratch_bytes / 2;
  } else if (failed.whole.valid() && has_failed(failed.whole)) {
    if (!fault_of(error.code())) return false;
    attempt.needs = Chooser::Needs::all_stages;
  } else if (error.code() != ErrorCode::device_limit_exceeded || !named_kernel(options).empty() ||
             !chooser_.exclude(failed.choice.chosen.config, options, error.what())) {
    return false;
  }
  if (attempt.why.empty()) attempt.why = error.what();
  return true;
}

Events Context::State::multiply_as_planned(const ChosenPlan& chosen, const Problem& problem,
                                           const Buffers& buffers, const Sequence& sequence,
                                           const Events& wait_for, const Options& options,
                                           Progress& progress) {
  const BuiltPlan& built = chosen.built;
  const Plan& plan = built.plan;
  Workspace workspace{cl::Buffer(options.scratch, true), {}};
  Events before = wait_for;
  ScratchPool::Buffer scratch;
  ScratchPool::Buffer arrivals;
  const auto take = [&](ScratchPool& pool, std::size_t bytes, cl::Buffer& memory) {
    ScratchPool::Buffer taken = pool.take(bytes, sequence.queue, wait_for);
    if (taken.last_use() != nullptr) before.push_back(taken.last_use);
    assign(memory, taken.memory);
    return taken;
  };
  if (options.scratch == nullptr && plan.scratch_bytes != 0)
    scratch = take(scratch_, plan.scratch_bytes, workspace.scratch);
  if (plan.arrivals() != 0) arrivals = take(arrivals_, arrivals_bytes, workspace.arrivals);

  const Sequence taken{sequence.queue, sequence.by_events || !before.empty(), sequence.is_observed};
  Events done = enqueue_gemm(built, problem, buffers, workspace, taken, before, progress);
  if (chosen.whole.valid() && !first_stage_did_all(plan, workspace, sequence.queue, done)) {
    progress.c_touched = false;
    done = enqueue_gemm(*chosen.whole.get(), problem, buffers, workspace, taken, done, progress, 1);
  }
  const bool waits = !wait_for.empty();
  if (scratch.memory() != nullptr) scratch_.give_back(std::move(scratch), done, sequence.queue, waits);
  if (arrivals.memory() != nullptr) arrivals_.give_back(std::move(arrivals), done, sequence.queue, waits);
  return done;
}

Events Context::State::scale(const Problem& problem, cl_mem c, const Sequence& sequence,
                             const Events& wait_for, const Options& options) {
  const SharedConfig config = chooser_.helper("scale", options);
  const auto program = programs_.get(config, Purpose::chosen);
  Events done = enqueue_scale(*config, program, problem, c, sequence, wait_for);
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
