#include "tune/calibration/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "base/device_facts.hpp"
#include "base/error.hpp"
#include "base/sizes.hpp"
#include "kernel/kernel_config.hpp"
#include "plan/k_split.hpp"

namespace clgemm::tune {
namespace {

// On a CPU, its own vectors are measured. If they have 8 elements, those of 4 are measured, too, for related
// CPUs without wider vectors.
bool has_measured_vectors(const KernelConfig& kernel, const Device& device) {
  if (kernel.vector == 0 || kernel.vector == widest_cpu_vector(device)) return true;
  return kernel.vector == 4 && device.native_float_width == 8;
}

bool is_measured(const NamedKernel& kernel, const Parameters& values, const Device& device) {
  try {
    const KernelConfig config = configure(kernel, values, device);
    return config.is_calibrated && has_measured_vectors(config, device);
  } catch (const Error&) {
    return false;  // the device does not allow it
  }
}

// The bounds of the shapes. The largest number of operations is what a device does in about 5 ms.
struct Bounds {
  double least_side, most_side, least_operations, most_operations;
};
constexpr Bounds gpu_bounds{16, 9400, 2e7, 1.5e11};
constexpr Bounds cpu_bounds{12, 3000, 5e5, 4e9};

// Bounds of large shapes, which the other samples have few of. If a device is full until the end, its time
// depends only on the speed of a step.
constexpr Bounds gpu_large_bounds{1000, 9400, 1.5e10, 1.5e11};
constexpr Bounds cpu_large_bounds{300, 3000, 4e8, 4e9};
const Bounds& large_bounds(DeviceKind kind) {
  return kind == DeviceKind::cpu ? cpu_large_bounds : gpu_large_bounds;
}

double operations_of(const SampleShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

// Shapes of one column. Their k x m elements are read once: at most 1.2 GB.
constexpr Bounds gpu_column_bounds{64, 65536, 4e5, 6e8};

// Shapes with few rows or few columns, whose other operand is too large for the cache of a GPU: 80 MB or
// more. The other samples have few in which so few work-groups read from memory.
constexpr Bounds gpu_uncached_bounds{16, 9400, 2e7, 1.5e11};
constexpr double most_uncached_rows = 512.0;
constexpr double least_uncached_elements = 2e7;

// Batches: the sides of a matrix, and the operations of all of its GEMMs.
constexpr Bounds gpu_batch_bounds{6, 600, 2e6, 1e10};
constexpr Bounds cpu_batch_bounds{6, 300, 5e5, 2e8};
constexpr double least_matrices = 16.0;
constexpr double most_matrices = 10000.0;
constexpr double most_batch_elements = 6e7;  // A, B and C together: 240 MB

class ShapeSource {
 public:
  ShapeSource(const Bounds& bounds, std::uint64_t seed, DeviceKind kind)
      : bounds_(bounds),
        transposes_(kind != DeviceKind::cpu),
        random_(static_cast<std::uint32_t>(seed)),
        place_(0.381966 * static_cast<double>(seed)) {}

  // Every fourth shape has few rows or columns, every eighth a k of at most 64, and every eighth is small.
  SampleShape next(std::size_t number) {
    for (;;) {
      SampleShape size{{side(bounds_.most_side), side(bounds_.most_side), side(bounds_.most_side)}};
      constexpr double thin = 16.0;
      constexpr double flat = 64.0;
      constexpr double small = 300.0;
      if (number % 8 == 1) size.m = log_uniform(1.0, thin);
      if (number % 8 == 3) size.n = number % 16 == 3 ? 1 : log_uniform(1.0, thin);
      if (number % 8 == 5) size.k = side(flat);
      if (number % 8 == 7) size = {{side(small), side(small), side(small)}};
      if (is_within_operations(size) || number % 8 == 7) return in_fours(transposed(size), number);
    }
  }

  SampleShape next_column(std::size_t number) {
    for (;;) {
      const SampleShape size{{side(bounds_.most_side), 1, side(bounds_.most_side)}};
      if (is_within_operations(size)) return in_fours(transposed(size), number);
    }
  }

  // Every second shape has whole tiles of any kernel and is not transposed, because kernels that pack
  // operands need not pack such shapes.
  SampleShape next_large(std::size_t number) {
    constexpr std::size_t whole = 256;
    for (;;) {
      SampleShape size{{side(bounds_.most_side), side(bounds_.most_side), side(bounds_.most_side)}};
      if (number % 2 == 1)
        size = {{round_up(size.m, whole), round_up(size.n, whole), round_up(size.k, whole)}};
      if (is_within_operations(size)) return number % 2 == 1 ? size : transposed(size);
    }
  }

  SampleShape next_uncached(std::size_t number) {
    for (;;) {
      SampleShape size{{log_uniform(bounds_.least_side, most_uncached_rows), side(bounds_.most_side),
                        side(bounds_.most_side)}};
      if (static_cast<double>(size.n) * static_cast<double>(size.k) < least_uncached_elements) continue;
      if (number % 2 == 1) std::swap(size.m, size.n);
      if (is_within_operations(size)) return in_fours(transposed(size), number);
    }
  }

  // Every second batch has square matrices. The golden ratio spreads their sides evenly for any number of
  // them. Every fourth of these has whole tiles, unless it is small, and is not transposed.
  SampleShape next_batch(std::size_t number) {
    for (;;) {
      SampleShape shape{{side(bounds_.most_side), side(bounds_.most_side), side(bounds_.most_side)}};
      if (number % 2 == 0) shape.m = shape.n = shape.k = spread(place_ += 0.618034);
      constexpr std::size_t whole = 32;
      if (number % 8 == 2 && shape.m >= whole) shape.m = shape.n = shape.k = shape.m / whole * whole;
      shape = in_fours(number % 8 == 2 ? shape : transposed(shape), number);
      const auto m = static_cast<double>(shape.m);
      const auto n = static_cast<double>(shape.n);
      const auto k = static_cast<double>(shape.k);
      const double operations = operations_of(shape);
      const double least = std::max(least_matrices, bounds_.least_operations / operations);
      const double most = std::min({most_matrices, bounds_.most_operations / operations,
                                    most_batch_elements / (m * k + k * n + m * n)});
      if (least > most) continue;
      shape.batch = log_uniform(least, most);
      return shape;
    }
  }

 private:
  bool is_within_operations(const SampleShape& size) const {
    const double operations = operations_of(size);
    return operations >= bounds_.least_operations && operations <= bounds_.most_operations;
  }
  double uniform() { return static_cast<double>(random_()) / static_cast<double>(std::mt19937::max()); }
  std::size_t log_uniform(double least, double most) {
    return static_cast<std::size_t>(std::exp(std::log(least) + uniform() * std::log(most / least)));
  }
  std::size_t spread(double turns) const {
    return static_cast<std::size_t>(
        std::exp(std::log(bounds_.least_side) +
                 (turns - std::floor(turns)) * std::log(bounds_.most_side / bounds_.least_side)));
  }
  std::size_t side(double most) { return log_uniform(bounds_.least_side, most); }

  // On a GPU, transposes A, B, both or none.
  SampleShape transposed(SampleShape shape) {
    if (!transposes_) return shape;
    shape.transpose_a = uniform() < 0.5;
    shape.transpose_b = uniform() < 0.5 && shape.n > 1;
    return shape;
  }

  // Makes it alternate, for each of the kinds above, whether lines can be read four elements at a time.
  static SampleShape in_fours(SampleShape shape, std::size_t number) {
    if (number / 2 % 2 == 0) return shape;
    const auto round = [](std::size_t& side) { side = side == 1 ? 1 : round_up(side, 4); };
    if (shape.transpose_a) round(shape.m);
    round(shape.n);
    round(shape.k);
    return shape;
  }

  const Bounds& bounds_;
  bool transposes_;
  std::mt19937 random_;
  double place_;
};

}  // namespace

std::vector<Config> calibrated_configs(const Device& device, KernelLibrary& library) {
  std::vector<Config> result;
  for (const std::string& name : library.names(Role::gemm)) {
    const NamedKernel kernel = library.find(name);
    for (const auto& [values, line] : kernel.file->manifest.calibrated) {
      if (is_measured(kernel, values, device)) result.push_back({name, values});
    }
  }
  return result;
}

std::vector<SampleShape> calibrated_shapes(DeviceKind kind, std::size_t count, std::uint64_t seed) {
  const bool is_cpu = kind == DeviceKind::cpu;
  ShapeSource source(is_cpu ? cpu_bounds : gpu_bounds, seed, kind);
  ShapeSource batches(is_cpu ? cpu_batch_bounds : gpu_batch_bounds, seed, kind);
  ShapeSource large(large_bounds(kind), seed, kind);
  ShapeSource columns(is_cpu ? cpu_bounds : gpu_column_bounds, seed, kind);
  ShapeSource uncached(gpu_uncached_bounds, seed, kind);
  constexpr std::size_t between_batches = 3;
  constexpr std::size_t between_large = 8;
  constexpr std::size_t between_uncached = 8;
  // Kernels for one column have only these samples. They come early because the budget may stop a run, and a
  // kernel without rows would not be chosen any more.
  const std::size_t column_count = is_cpu ? 6 : 24;
  std::vector<SampleShape> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(source.next(i));
    if (i < column_count) result.push_back(columns.next_column(i));
    if ((i + 1) % between_batches == 0) result.push_back(batches.next_batch(i / between_batches));
    if ((i + 1) % between_large == 0) result.push_back(large.next_large(i / between_large));
    if (!is_cpu && i % between_uncached == 3) result.push_back(uncached.next_uncached(i / between_uncached));
  }
  return result;
}

bool is_large(const SampleShape& shape, DeviceKind kind) {
  return shape.batch == 1 && operations_of(shape) >= large_bounds(kind).least_operations;
}

std::vector<Config> with_slices(const Config& config, const SampleShape& size, const Device& device,
                                KernelLibrary& library) {
  const KernelConfig kernel = configure(library.find(config.kernel), config.parameters, device);
  const Manifest& manifest = kernel.manifest();
  if (size.m > manifest.most_rows || size.n > manifest.most_columns || size.k > manifest.most_k) return {};
  if (kernel.matrices > size.batch) return {};
  if (!can_split_k(manifest) || device.kind == DeviceKind::cpu) return {config};
  const std::size_t tiles = ceil_div(size.m, kernel.tile_rows) * ceil_div(size.n, kernel.tile_columns);
  std::vector<Config> result;
  std::size_t last = 0;
  const std::size_t cores = peaks_of(device).cores;
  for (const std::size_t parts :
       {std::size_t{1}, cores / tiles, 2 * cores / tiles, 4 * cores / tiles, 8 * cores / tiles}) {
    if (parts <= last || (parts > 1 && (size.batch > 1 || size.k / parts < least_slice_depth))) continue;
    last = parts;
    result.push_back(config);
    result.back().parameters[split_parameter] = static_cast<std::int64_t>(parts);
  }
  return result;
}

Turns careful_turns(DeviceKind kind) {
  return kind == DeviceKind::cpu ? Turns{3, 16} : Turns{2, 8};
}

bool is_settled(std::vector<double> seconds, double best, const Turns& turns) {
  constexpr double same = 1.03;
  constexpr double hopeless = 3.0;
  if (seconds.size() < turns.enough) return false;
  std::sort(seconds.begin(), seconds.end());
  return seconds[turns.enough - 1] <= same * seconds[0] || seconds[0] > hopeless * best ||
         seconds.size() >= turns.most;
}

}  // namespace clgemm::tune
