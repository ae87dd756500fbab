#include "host/host_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>

#include "base/copy_lines.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/finished.hpp"
#include "base/log.hpp"
#include "base/sizes.hpp"
#include "log/log_lines.hpp"

namespace clgemm {
namespace {

CopySettings copy_settings() {
  const auto [in, out] = copy_threads();
  return {std::size_t{4} << 20, in, out};
}

// Returns CLGEMM_DEVICE_MEMORY_MIB in bytes; 0 if it is not set.
std::size_t limit_of_environment() {
  const std::string text = environment("CLGEMM_DEVICE_MEMORY_MIB");
  if (text.empty()) return 0;
  std::size_t mebibytes = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), mebibytes);
  if (status != std::errc() || rest != text.data() + text.size() || mebibytes == 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("CLGEMM_DEVICE_MEMORY_MIB is '{}'; it must be a number of MiB", text));
  }
  return clamped_product(mebibytes, std::size_t{1} << 20);
}

std::string mebibytes(std::size_t bytes) {
  return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / (1 << 20));
}

// Returns the problem of one tile, in the blocks on the device.
Problem tile_problem(const StreamPlan& plan, const Problem& problem, const Device& device) {
  Problem tile = problem;
  tile.m = std::min(plan.m, plan.tile_rows);
  tile.n = std::min(plan.n, plan.tile_columns);
  tile.k = std::min(plan.k, plan.depth);
  tile.a.ld = block_ld(tile.a.transposed ? tile.m : tile.k);
  tile.b.ld = block_ld(tile.b.transposed ? tile.k : tile.n);
  tile.c.ld = block_ld(tile.n);
  tile.a.base_alignment = tile.b.base_alignment = base_alignment(device);
  return tile;
}

std::string in_words(const StreamPlan& plan, const Traffic& moved) {
  std::string result =
      fmt::format("tiles: {} x {}, each of {} x {} elements; k in {} steps of {}\n", plan.rows_of_tiles(),
                  plan.columns_of_tiles(), plan.tile_rows, plan.tile_columns, plan.depths(), plan.depth);
  result += fmt::format("rounds: {}, each of {} x {} tiles{}\n", rounds_of(plan).size(), plan.round_rows,
                        plan.round_columns, plan.tapers ? " at most" : "");
  result += fmt::format(
      "device memory: {} blocks of A, {} of B and {} of C, together at most {}; {} for packed copies\n",
      plan.a_blocks, plan.b_blocks, plan.c_blocks, mebibytes(plan.held_bytes()),
      mebibytes(plan.scratch_bytes));
  result +=
      fmt::format("moved: A {}, B {}, C {} back to the host, and C {} to the device if beta is not 0\n",
                  mebibytes(moved.a), mebibytes(moved.b), mebibytes(moved.c_out), mebibytes(moved.c_in));
  return result;
}

// Returns the result of `make`. Its Error also says why it was called, if there was a reason.
template <class Make>
StreamPlan with_cause(const std::string& why, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    if (why.empty()) throw;
    throw Error(error.code(),
                fmt::format("{}; clgemm had lowered the limit after this error: {}", error.what(), why));
  }
}

Options with_scratch(const Options& options, std::size_t bytes) {
  Options result = options;
  result.scratch_limit = options.scratch_limit == 0 ? bytes : std::min(options.scratch_limit, bytes);
  return result;
}

}  // namespace

void HostCalls::multiply(const HostGemm& host, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  if (!multiply_in_place(host, options)) multiply_in_parts(host, options);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  log_host_call(host.problem, info_.name, spent.count());
}

bool HostCalls::multiply_in_place(const HostGemm& host, const Options& options) {
  if (!works_in_place()) return false;
  const std::vector<HostGemm> parts = parts_in_place(host, info_.max_allocation_bytes);
  for (const HostGemm& part : parts) multiply_in_host_memory(on_own_queue(options), part);
  return !parts.empty();
}

void HostCalls::multiply_in_parts(const HostGemm& host, const Options& options) {
  // If the device has less memory than it reports, or other processes use it, smaller blocks may fit.
  std::string why;  // the failure of the first attempt
  for (std::size_t limit = device_memory_limit(options);; limit /= 2) {
    const StreamPlan plan = with_cause(why, [&] { return stream_plan(host.problem, options, limit); });
    std::vector<Round> rounds = rounds_of(plan);
    std::reverse(rounds.begin(), rounds.end());
    const auto next_round = [&]() -> std::optional<Round> {
      if (rounds.empty()) return std::nullopt;
      const Round next = rounds.back();
      rounds.pop_back();
      return next;
    };
    std::atomic<bool> some_came = false;
    try {
      at_boundary([&] {
        multiply_on_copies({host, plan, next_round, options.host_matrices_are_pinned,
                            [&](const Range&, const Range&) { some_came = true; }},
                           options);
      });
      return;
    } catch (const MatricesInUse&) {
      throw;
    } catch (const Error& error) {
      health_.look_after(error);
      if (error.code() != ErrorCode::out_of_memory || some_came) throw;
      if (why.empty()) why = error.what();
      log(LogLevel::info,
          fmt::format("{} of device memory were too much: {}", mebibytes(limit), error.what()));
    }
  }
}

void HostCalls::multiply_on_copies(const StreamedCall& call, const Options& options) {
  const Options of_tile = with_scratch(options, call.plan.scratch_bytes);
  std::unique_ptr<HostCopies> copies = take_copies();
  multiply_streamed(on_own_queue(of_tile), *copies, memory_, call);
  give_back(std::move(copies));
}

StreamPlan HostCalls::stream_plan(const Problem& problem, const Options& options, std::size_t device_bytes,
                                  std::size_t sharers) const {
  StreamPlan plan = plan_stream(problem, {device_bytes, info_.max_allocation_bytes, sharers}, calls_.rates());
  if (options.scratch != nullptr) plan.scratch_bytes = calls_.scratch_limit(options);
  return plan;
}

bool HostCalls::has_limit(const Options& options) {
  return options.device_memory_limit != 0 || limit_of_environment() != 0;
}

std::size_t HostCalls::device_memory_limit(const Options& options) const {
  std::size_t limit = options.device_memory_limit;
  if (limit == 0) limit = limit_of_environment();
  return limit == 0 ? info_.global_bytes / 4 * 3 : std::min(limit, info_.global_bytes);
}

std::string HostCalls::explain(const Problem& problem, const Options& options, std::size_t sharers) {
  if (works_in_place()) {
    const std::vector<HostGemm> parts =
        parts_in_place({in_host_memory(problem), nullptr, nullptr, nullptr}, info_.max_allocation_bytes);
    if (!parts.empty()) {
      const Problem& first = parts.front().problem;
      return fmt::format("host matrices: used in place, in {} part{} of {} x {} x {}\nmoved: nothing\n",
                         parts.size(), parts.size() == 1 ? "" : "s", first.m, first.n, first.k) +
             calls_.explain(first, options);
    }
  }
  const StreamPlan plan = stream_plan(problem, options, device_memory_limit(options), sharers);
  const Options of_tile = with_scratch(options, plan.scratch_bytes);
  const Problem tile = tile_problem(plan, problem, info_);
  const Traffic moved = traffic_of(plan, true);
  const CopySettings copies = copy_settings();
  std::string result =
      options.host_matrices_are_pinned
          ? fmt::format(
                "host matrices: pinned by the caller, copied directly{}\n",
                problem.beta == 0.0f ? "" : "; C goes back through pinned chunks, because beta is not 0")
          : fmt::format("host matrices: through {} pinned chunks of {}, {} threads in and {} out\n",
                        2 * copies.threads_in + copies.threads_out, mebibytes(copies.chunk_bytes),
                        copies.threads_in, copies.threads_out);
  result += in_words(plan, moved);
  const StreamSeconds seconds = seconds_of(plan, problem.beta != 0.0f, options.host_matrices_are_pinned,
                                           calls_.predicted_seconds(tile, of_tile), calls_.rates().host);
  result += fmt::format(
      "predicted: copies in {}, GEMM {}, copies out {}, all at the same time; first and last parts {}\n",
      milliseconds(seconds.in), milliseconds(seconds.gemm), milliseconds(seconds.out),
      milliseconds(seconds.ends));
  return result + "a tile:\n" + calls_.explain(tile, of_tile);
}

double HostCalls::predicted_seconds(const Problem& problem, const Options& options) {
  const HostRates& rates = calls_.rates().host;
  if (works_in_place())
    return rates.call_seconds + calls_.predicted_seconds(in_host_memory(problem), options);
  const StreamPlan plan = stream_plan(problem, options, device_memory_limit(options));
  const double of_tile =
      calls_.predicted_seconds(tile_problem(plan, problem, info_), with_scratch(options, plan.scratch_bytes));
  return rates.call_seconds +
         seconds_of(plan, problem.beta != 0.0f, options.host_matrices_are_pinned, of_tile, rates).all();
}

GemmDevice HostCalls::on_own_queue(const Options& options) {
  return {info_, context_, queue_, [this, &options](const DeviceGemm& gemm, const Events& wait_for) {
            return calls_.enqueue_on_own_queue(gemm, wait_for, options);
          }};
}

std::unique_ptr<HostCopies> HostCalls::take_copies() {
  {
    const std::lock_guard lock(copies_mutex_);
    if (idle_copies_) return std::move(idle_copies_);
  }
  return std::make_unique<HostCopies>(context_, device_, copy_settings());
}

void HostCalls::give_back(std::unique_ptr<HostCopies> copies) {
  const std::lock_guard lock(copies_mutex_);
  if (!idle_copies_) idle_copies_ = std::move(copies);
}

}  // namespace clgemm
