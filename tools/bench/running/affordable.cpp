#include "running/affordable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <optional>

namespace clgemm::bench {
namespace {

// Nothing that is measured does fewer operations a second.
constexpr double slowest_rate = 2e9;

// Less work does not predict long runs.
constexpr double least_work_to_predict_from = 1e8;

// For peers: large enough that they use the kernels for large problems.
constexpr std::size_t prediction_side = 768;

// A shorter run may have been mostly launches, transfers and pinning of memory. On two H200, 768 predicted
// that 16384 takes 44 s with cublasXt.
constexpr double telling_ms = 50.0;

// Predicts the time for this work from the largest shape, of more than `least` operations, at which
// `figures_at` finds a time.
template <class FiguresAt>
std::optional<double> predicted_ms(const Results& earlier, double work, double least,
                                   const FiguresAt& figures_at) {
  std::optional<double> predicted;
  for (const ShapeResult& done : earlier.shapes) {
    const Figures figures = figures_at(done);
    if (!figures.measured() || operations(done) <= least) continue;
    least = operations(done);
    predicted = *figures.median_ms * work / least;
  }
  return predicted;
}

}  // namespace

Affordable affordable(const std::vector<KernelChoice>& choices, const Results& earlier, const Case& one,
                      double max_seconds) {
  Affordable result;
  for (const KernelChoice& choice : choices) {
    const std::optional<double> ms =
        predicted_ms(earlier, operations(one), 0.0, [&](const ShapeResult& done) {
          for (const KernelResult& kernel : done.kernels)
            if (kernel.asked == choice.name) return kernel.figures;
          return Figures{};
        });
    if (choice.name == "auto" || !ms || *ms <= max_seconds * 1e3) {
      result.choices.push_back(choice);
      continue;
    }
    KernelResult skipped;
    skipped.kernel = skipped.asked = choice.name;
    skipped.outcome = Outcome::skipped;
    skipped.figures.reason = left_out(*ms * 1e-3);
    result.left_out.push_back(std::move(skipped));
  }
  return result;
}

std::string about_a_run(double seconds) {
  const double ms = seconds * 1e3;
  if (ms < 1.0) return fmt::format("about {:.1g} ms for each run", ms);
  return ms < 1e3 ? fmt::format("about {:.0f} ms for each run", ms)
                  : fmt::format("about {:.0f} s a run", seconds);
}

std::string left_out(double seconds) {
  return fmt::format("left out, because it takes {}, which is above --max-seconds", about_a_run(seconds));
}

bool leaves_out_baseline(const Affordable& kernels) {
  return std::any_of(kernels.left_out.begin(), kernels.left_out.end(),
                     [](const KernelResult& kernel) { return kernel.asked == baseline_kernel; });
}

std::optional<double> seconds_of_a_run(const Peer& peer, const Results& earlier, const HostData& data,
                                       const cl::CommandQueue& queue, double max_seconds) {
  const double work = operations(data.size()) * static_cast<double>(data.call.batch_count);
  if (work < max_seconds * slowest_rate) return std::nullopt;
  const auto ms_from_earlier =
      predicted_ms(earlier, work, least_work_to_predict_from,
                   [&](const ShapeResult& done) { return done.peer_figures(peer.unmeasured.name); });
  if (ms_from_earlier) return *ms_from_earlier * 1e-3;
  try {
    for (std::size_t side = prediction_side;; side *= 2) {
      const double ms = predict_ms(peer.enter, queue, data.call, side);
      const auto done = static_cast<double>(side);
      const bool tells = ms * 2.0 * done * done * done / work >= telling_ms;
      if (tells || ms <= max_seconds * 1e3 || 2 * side >= data.call.k) return ms * 1e-3;
    }
  } catch (const std::exception&) {
    return std::nullopt;  // its first run reports what is wrong
  }
}

double predict_ms(const MakeContestant& make, const cl::CommandQueue& queue, const SgemmCall& call,
                  std::size_t side_at_most) {
  const Size size{call.m, call.n, call.k};
  const Size small{std::min(size.m, side_at_most), std::min(size.n, side_at_most),
                   std::min(size.k, side_at_most)};
  const HostData host = make_host_data(call_of(kind_of(call), small));
  const DeviceData data(queue, host);
  const auto contestant = make(data);
  contestant->run();
  const RunTimes times = contestant->run();
  const Clock clock = trusted_clock(times.operation_ms, times.call_ms);
  return (clock == Clock::device ? times.operation_ms : times.call_ms) * operations(size) / operations(small);
}

}  // namespace clgemm::bench
