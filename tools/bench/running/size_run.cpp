#include "running/size_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "common/error_bound.hpp"
#include "common/interrupt.hpp"
#include "running/affordable.hpp"

namespace clgemm::bench {
namespace {

// The longest time of a run of the baseline if it was not requested.
constexpr double longest_baseline_ms = 3000.0;

constexpr const char* interrupted_reason = "interrupted";

// The largest side of the problem that predicts the baseline's time.
constexpr std::size_t prediction_side = 256;

KernelChoice baseline_choice(const std::vector<KernelChoice>& choices) {
  KernelChoice choice{baseline_kernel, {}, false};
  choice.options.kernel = baseline_kernel;
  if (!choices.empty()) choice.options.kernel_folder = choices.front().options.kernel_folder;
  return choice;
}

bool is_baseline(const KernelChoice& choice) {
  return choice.options.kernel == baseline_kernel && choice.options.parameters.empty();
}

std::string first_line(const std::string& text) {
  return printable(text.substr(0, text.find('\n')));
}

}  // namespace

SizeRun::SizeRun(const cl::CommandQueue& queue, const Case& one, const HostData& host,
                 const Reference* reference, const MeasureSettings& settings, const Rotation& rotation,
                 Tell tell)
    : queue_(queue),
      reference_(reference),
      settings_(settings),
      tell_(std::move(tell)),
      data_(queue, host, rotation.copies) {
  static_cast<Case&>(result_) = one;
  if (reference == nullptr) return;
  result_.checked_elements = reference->checked_elements();
  result_.error_bound = error_bound(Arithmetic::fp32, one.size.k, Numbers::random);
}

ShapeResult SizeRun::run(const std::vector<KernelChoice>& choices, std::span<const Peer* const> peers) {
  for (const Peer* peer : peers) {
    tell_("first run of " + peer_title(peer->unmeasured.name));
    enter_peer(*peer);
  }
  for (const KernelChoice& choice : choices) {
    if (interrupted()) break;
    tell_("first run of " + choice.name);
    enter_kernel(choice);
  }
  if (!interrupted()) enter_baseline(choices);
  measure_all();
  return std::move(result_);
}

void SizeRun::enter_peer(const Peer& peer) {
  PeerResult peer_result = peer.unmeasured;
  Entry entry;
  try {
    at_boundary([&] {
      if (interrupted()) throw Error(ErrorCode::internal_error, interrupted_reason);
      entry = std::make_unique<Entrant>(peer.enter(data_), reference_);
      if (entry->passed() && peers_c_.empty()) peers_c_ = entry->result();
    });
  } catch (const Error& error) {
    entry = nullptr;
    peer_result.figures.reason = first_line(error.what());
  }
  peers_.push_back(std::move(entry));
  result_.peers.push_back(std::move(peer_result));
}

void SizeRun::enter_kernel(const KernelChoice& choice) {
  KernelResult kernel;
  kernel.kernel = choice.name;
  kernel.asked = choice.name;
  kernel.parameters = choice.options.parameters;
  Entry entry;
  try {
    at_boundary([&] { entry = first_run(choice, kernel); });
  } catch (const Error& error) {
    if (choice.must_run) throw;
    kernel.outcome = is_device_limit(error) ? Outcome::skipped : Outcome::failed;
    kernel.figures.reason = first_line(error.what());
  }
  kernels_.push_back(std::move(entry));
  result_.kernels.push_back(std::move(kernel));
}

SizeRun::Entry SizeRun::first_run(const KernelChoice& choice, KernelResult& result) {
  auto entry =
      std::make_unique<Entrant>(make_kernel_contestant(data_, choice.options, settings_.devices), reference_);
  if (!peers_c_.empty()) result.agreement = reference_->compare(entry->result(), peers_c_);
  const std::shared_ptr<const ChosenPlan> plan = entry->plan();
  const KernelConfig& running = plan->built.plan.first().gemm();
  result.kernel = running.name;
  result.parameters = running.values;
  result.on_fp32_units = running.manifest().precision == Precision::fp32;
  if (reference_ != nullptr && !entry->has_right_numbers()) {
    const std::string damage = entry->fault().empty() ? "" : "; " + entry->fault();
    result.wrong = entry->describe_wrong(data_.call()) + damage;
    return entry;
  }
  entry->add_fault(choice.fault);
  result.wrong = entry->fault();
  return entry;
}

void SizeRun::enter_baseline(const std::vector<KernelChoice>& choices) {
  const auto asked_for = std::find_if(choices.begin(), choices.end(), is_baseline);
  if (asked_for != choices.end()) {
    baseline_index_ = static_cast<std::size_t>(asked_for - choices.begin());
    return;
  }
  if (!settings_.baseline) return;
  tell_("first run of the baseline");
  const KernelChoice choice = baseline_choice(choices);
  try {
    at_boundary([&] {
      const double ms = predict_ms(
          [&choice](const DeviceData& small) { return make_kernel_contestant(small, choice.options); },
          queue_, data_.call(), prediction_side);
      if (ms > settings_.max_seconds * 1e3) {
        result_.naive.reason = left_out(ms * 1e-3);
      } else if (ms > longest_baseline_ms) {
        result_.naive.reason = fmt::format("left out, because it takes {}; --kernel {} measures it",
                                           about_a_run(ms * 1e-3), baseline_kernel);
      } else {
        baseline_ = std::make_unique<Entrant>(make_kernel_contestant(data_, choice.options), nullptr);
      }
    });
  } catch (const Error& error) {
    result_.naive.reason = first_line(error.what());
  }
}

void SizeRun::measure_all() {
  std::vector<Entrant*> entrants;
  for (const std::vector<Entry>* entries : {&peers_, &kernels_}) {
    for (const Entry& entry : *entries) {
      if (entry) entrants.push_back(entry.get());
    }
  }
  if (baseline_) entrants.push_back(baseline_.get());
  note_interrupts_again();  // everything is compiled now
  measure(entrants, settings_, tell_);

  for (std::size_t i = 0; i < peers_.size(); ++i) {
    Figures& figures = result_.peers[i].figures;
    const bool in_fp32 = figures.computes_in_fp32;
    if (peers_[i]) figures = figures_of(peers_[i]);
    figures.computes_in_fp32 = in_fp32;
  }
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    KernelResult& kernel = result_.kernels[i];
    if (kernels_[i]) kernel.figures = figures_of(kernels_[i]);
    if (kernels_[i] && !kernel.figures.measured()) kernel.outcome = Outcome::skipped;
    const bool differs = kernel.figures.measured() && kernel.agreement && !kernel.agreement->passed;
    if (kernel.outcome == Outcome::failed || differs) kernel.figures.passed = false;
  }
  if (baseline_index_ && *baseline_index_ < result_.kernels.size()) {
    const Figures& figures = result_.kernels[*baseline_index_].figures;
    if (figures.measured()) result_.naive = figures;
  }
  if (baseline_ && baseline_->runs() > 0) result_.naive = figures_of(baseline_);
}

// There may be no run only if the bench was interrupted.
Figures SizeRun::figures_of(const Entry& entry) const {
  Figures figures;
  figures.reason = interrupted_reason;
  if (entry->runs() == 0) return figures;
  figures = entry->figures();
  figures.gflops = operations(result_) / (*figures.median_ms * 1e6);
  return figures;
}

}  // namespace clgemm::bench
