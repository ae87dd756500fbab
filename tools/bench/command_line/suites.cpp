#include "command_line/suites.hpp"

#include <algorithm>
#include <tuple>

namespace clgemm::bench {
namespace {

constexpr Transpose no = Transpose::no;
constexpr Transpose yes = Transpose::yes;

// 256 to 1024: the OpenCL and CUDA tutorials. 1024 x 512 x 2048: the article on TVM, which also compares
// tiled with naive at 1024. 4096: the CUDA work logs.
constexpr Size seed_sizes[] = {
    {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {1024, 512, 2048}, {4096, 4096, 4096}};
constexpr const char* seed_kernels[] = {"auto", "naive", "tiled"};

constexpr Size cpu_sizes[] = {{128, 128, 128},    {256, 256, 256},    {512, 512, 512},    {1024, 1024, 1024},
                              {2048, 2048, 2048}, {4096, 4096, 4096}, {1000, 1000, 1000}, {2049, 2049, 2049},
                              {1024, 512, 2048},  {4096, 16, 4096},   {16, 4096, 4096},   {128, 128, 65536},
                              {1, 4096, 4096},    {4096, 1, 4096}};

constexpr Size gpu_sizes[] = {{256, 256, 256},    {512, 512, 512},    {1024, 1024, 1024}, {1024, 512, 2048},
                              {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}, {1000, 1000, 1000},
                              {4097, 4097, 4097}, {16, 4096, 4096},   {4096, 16, 4096},   {128, 128, 65536}};

template <std::size_t count>
std::vector<Case> plain(const Size (&sizes)[count], const GemmKind& kind) {
  std::vector<Case> cases;
  for (const Size& size : sizes) cases.push_back({size, kind, {}});
  return cases;
}

std::vector<Case> shapes(const GemmKind& kind, const Device& device) {
  if (device.kind != DeviceKind::cpu) return plain(gpu_sizes, kind);
  std::vector<Case> cases = plain(cpu_sizes, kind);
  // The sizes above have no transposes and no gaps.
  const auto add = [&](Transpose a, Transpose b, std::size_t gap) {
    Case& one = cases.emplace_back(Case{{1024, 1024, 1024}, kind, {}});
    std::tie(one.kind.transpose_a, one.kind.transpose_b, one.kind.gap) = std::tuple(a, b, gap);
  };
  add(yes, no, kind.gap);
  add(no, yes, kind.gap);
  add(yes, yes, kind.gap);
  add(kind.transpose_a, kind.transpose_b, 7);
  return cases;
}

std::vector<Case> layers_of_kind(const GemmKind& kind) {
  std::vector<Case> cases = network_layers();
  for (Case& layer : cases) layer.kind = kind;
  return cases;
}

}  // namespace

std::vector<std::string> suite_names() {
  return {"seeds", "shapes", "dnn"};
}

std::vector<Case> cases_of_suite(const std::string& name, const GemmKind& kind, const Device& device) {
  if (name == "seeds") return plain(seed_sizes, kind);
  return name == "shapes" ? shapes(kind, device) : layers_of_kind(kind);
}

std::vector<std::string> kernels_of_suites(const std::vector<std::string>& suites) {
  if (std::find(suites.begin(), suites.end(), "seeds") == suites.end()) return {"auto"};
  return {std::begin(seed_kernels), std::end(seed_kernels)};
}

}  // namespace clgemm::bench
