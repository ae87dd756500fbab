#include "figures/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

std::optional<double> speed_up(const Figures& base, const Figures& own) {
  if (!base.measured() || !own.measured()) return std::nullopt;
  const bool one_clock = base.clock == own.clock || !base.call_ms || !own.call_ms;
  return one_clock ? *base.median_ms / *own.median_ms : *base.call_ms / *own.call_ms;
}

bool all_passed(const Results& results) {
  const auto is_fine = [](const Figures& figures) { return !figures.judged() || *figures.passed; };
  const auto kernel_ok = [&](const KernelResult& kernel) {
    return kernel.outcome != Outcome::failed && is_fine(kernel.figures);
  };
  const auto shape_ok = [&](const ShapeResult& shape) {
    return std::all_of(shape.kernels.begin(), shape.kernels.end(), kernel_ok) &&
           std::all_of(shape.peers.begin(), shape.peers.end(),
                       [&](const PeerResult& peer) { return is_fine(peer.figures); });
  };
  return results.stopped_by.empty() &&
         std::all_of(results.host_loops.begin(), results.host_loops.end(),
                     [&](const HostLoopResult& loop) { return is_fine(loop.figures); }) &&
         std::all_of(results.shapes.begin(), results.shapes.end(), shape_ok);
}

std::string peer_title(const std::string& name) {
  static const std::map<std::string, std::string> titles = {
      {"clblast", "CLBlast"},   {"clblast-tuned", "CLBlast tuned"},      {"openblas", "OpenBLAS"},
      {"cblas", "CBLAS"},       {"cublas-fp32", "cuBLAS fp32"},          {"cublas-tf32", "cuBLAS TF32"},
      {"cublasxt", "cublasXt"}, {"cublasxt-pinning", "cublasXt pinning"}};
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

Results each_kernel_once(Results results) {
  for (ShapeResult& shape : results.shapes) {
    std::vector<KernelResult> once;
    for (KernelResult& kernel : shape.kernels) {
      const auto same = std::find_if(once.begin(), once.end(), [&kernel](const KernelResult& other) {
        return other.title() == kernel.title() && other.parameters == kernel.parameters;
      });
      if (same == once.end()) {
        once.push_back(std::move(kernel));
      } else {
        *same = std::move(kernel);
      }
    }
    shape.kernels = std::move(once);
  }
  return results;
}

}  // namespace clgemm::bench
