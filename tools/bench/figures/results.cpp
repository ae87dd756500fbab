#include "figures/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "common/number.hpp"

namespace clgemm::bench {

const KernelResult* ShapeResult::own() const {
  const KernelResult* best = nullptr;
  for (const KernelResult& kernel : kernels) {
    if (!kernel.figures.measured()) continue;
    if (kernel.is_own_choice()) return &kernel;
    if (best == nullptr || *kernel.figures.median_ms < *best->figures.median_ms) best = &kernel;
  }
  return best;
}

const PeerResult* ShapeResult::peer(const std::string& name) const {
  const auto found =
      std::find_if(peers.begin(), peers.end(), [&](const PeerResult& peer) { return peer.name == name; });
  return found == peers.end() ? nullptr : &*found;
}

Figures ShapeResult::peer_figures(const std::string& name) const {
  const PeerResult* found = peer(name);
  return found == nullptr ? Figures{} : found->figures;
}

std::vector<const Figures*> ShapeResult::all_figures() const {
  std::vector<const Figures*> all;
  for (const KernelResult& kernel : kernels) all.push_back(&kernel.figures);
  for (const PeerResult& peer : peers) all.push_back(&peer.figures);
  return all;
}

const Figures* ShapeResult::fastest() const {
  const Figures* fastest = nullptr;
  for (const Figures* one : all_figures()) {
    if (!one->measured() || !one->computes_in_fp32 || one->failed()) continue;
    if (fastest == nullptr || time(*one)->ms < time(*fastest)->ms) fastest = one;
  }
  return fastest;
}

Clock ShapeResult::clock() const {
  bool any_by_host = false;
  bool all_have_calls = true;
  for (const Figures* figures : all_figures()) {
    if (!figures->measured()) continue;
    any_by_host = any_by_host || figures->clock == Clock::host;
    all_have_calls = all_have_calls && (figures->clock == Clock::host || figures->call_ms);
  }
  return any_by_host && all_have_calls ? Clock::host : Clock::device;
}

std::optional<double> ShapeResult::rate(const Figures& figures) const {
  const std::optional<Time> taken = time(figures);
  if (!taken || !figures.gflops) return std::nullopt;
  return *figures.gflops * *figures.median_ms / taken->ms;
}

std::optional<double> ShapeResult::speed_up(const Figures& base, const Figures& own) const {
  const std::optional<Time> slow = time(base);
  const std::optional<Time> fast = time(own);
  return slow && fast ? std::optional(slow->ms / fast->ms) : std::nullopt;
}

bool ShapeResult::within_noise(const Figures& one, const Figures& other) const {
  const std::optional<Time> first = time(one);
  const std::optional<Time> second = time(other);
  return first && second && !first->differs_from(*second);
}

std::optional<Time> time_by(Clock clock, const Figures& figures) {
  if (!figures.measured()) return std::nullopt;
  const auto time = [](double ms, const std::optional<double>& low, const std::optional<double>& high) {
    return Time{ms, low.value_or(ms), high.value_or(ms)};
  };
  const bool by_call = clock == Clock::host && figures.clock != Clock::host && figures.call_ms;
  if (by_call) return time(*figures.call_ms, figures.call_low_ms, figures.call_high_ms);
  return time(*figures.median_ms, figures.low_ms, figures.high_ms);
}

std::string joint_name(const std::vector<std::string>& names) {
  std::map<std::string, int> counts;
  for (const std::string& name : names) ++counts[name];
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} x {}", count, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::size_t Facts::devices() const {
  std::size_t sum = 0;
  std::istringstream names(device);
  for (std::string name; std::getline(names >> std::ws, name, ',');) {
    const std::size_t times = name.find(" x ");
    if (times != std::string::npos) sum += number_in<std::size_t>(name.substr(0, times)).value_or(0);
  }
  return std::max<std::size_t>(sum, 1);
}

bool all_passed(const Results& results) {
  const auto fails = [](const Figures& figures) { return figures.judged() && figures.failed(); };
  for (const PeerResult& loop : results.host_loops) {
    if (fails(loop.figures)) return false;
  }
  for (const ShapeResult& shape : results.shapes) {
    for (const Figures* figures : shape.all_figures()) {
      if (fails(*figures)) return false;
    }
    for (const KernelResult& kernel : shape.kernels) {
      if (kernel.outcome == Outcome::failed) return false;
    }
  }
  return results.failures.empty();
}

std::string peer_title(const std::string& name) {
  static const std::map<std::string, std::string> titles = {
      {"clblast", "CLBlast"}, {"clblast-tuned", "CLBlast tuned"}, {"openblas", "OpenBLAS"},
      {"cblas", "CBLAS"},     {"cublas-fp32", "cuBLAS fp32"},     {"cublas-tf32", "cuBLAS TF32"},
      {"cublas", "cuBLAS"},   {"cublasxt", "cublasXt"},           {"cublasxt-pinning", "cublasXt pinning"}};
  const auto found = titles.find(name);
  return found == titles.end() ? name : found->second;
}

std::string describe_shape(const Case& shape) {
  const auto& [size, kind, label] = shape;
  std::string text = size.m == size.n && size.n == size.k ? fmt::format("{}", size.m) : to_string(size);
  if (kind.transpose_a == Transpose::yes) text += ", A transposed";
  if (kind.transpose_b == Transpose::yes) text += ", B transposed";
  if (kind.gap != 0) text += fmt::format(", gaps of {}", kind.gap);
  if (kind.layout == Layout::column_major) text += ", column-major";
  if (kind.batch_count != 1) text += fmt::format(", batch of {}", kind.batch_count);
  return text;
}

std::string describe_labelled(const Case& shape) {
  const std::string text = describe_shape(shape);
  return shape.label.empty() ? text : fmt::format("{}: {}", shape.label, text);
}

}  // namespace clgemm::bench
