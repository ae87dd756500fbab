// A kernel file with a value for each of its parameters, checked against a device: everything that the plan
// and the compiler need to know of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "kernel/config.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm {

// Which operands are, as a kernel sees them.
struct Transposed {
  bool a = false;
  bool b = false;

  auto operator<=>(const Transposed&) const = default;
};

struct KernelConfig {
  std::string name;  // what it was asked for by: a kernel or a variant
  std::shared_ptr<const KernelFile> file;
  Parameters values;  // every parameter of the kernel
  Parameters macros;  // what the compiler gets beside them

  // The part of C, and the depth, that one work-group works on at a time.
  std::size_t tile_rows = 1;
  std::size_t tile_columns = 1;
  std::size_t tile_depth = 1;

  // How many times as large as where neither operand is transposed, as calibration measures it.
  double tile_growth = 1.0;

  // Where the kernel takes shares: a work-group's part of C may be any multiple of these, up to the tile, and
  // the host says how many work-groups there are. 0 for other kernels.
  std::size_t share_rows = 0;
  std::size_t share_columns = 0;

  std::size_t matrices = 1;  // of a batch, that one work-group does
  bool adds_parts = false;   // parts of k that one launch multiplies; others are added up by another kernel

  std::vector<std::size_t> local;  // work-group size, one entry a dimension of the grid
  std::size_t registers = 0;       // on NVIDIA: the most that a work-item may have; 0: as the compiler likes
  std::size_t align = 1;           // in elements: of offsets and leading dimensions of A and B
  Parameters fallback_values;      // of the kernel behind this one; others have its defaults
  std::size_t split_k = 0;    // parts of k, each multiplied by work-groups of its own; 0: the plan's choice
  std::string build_options;  // all the -D that the source needs, and what the device's compiler is asked for

  // What calibration and the choice go by, as the manifest says. 0: it says nothing.
  bool is_calibrated = true;     // on this device, if the manifest lists the config
  std::size_t vector = 0;        // on a CPU: floats of a vector that it computes with
  std::size_t kept_bytes = 0;    // on a CPU: that should stay in a core's cache
  std::size_t panel_depth = 0;   // on a CPU: steps of k in each panel that it copies op(B) into
  std::size_t rows_at_once = 0;  // on a CPU: rows of A that it reads side by side
  std::size_t stores = 1;        // neighbours in C that it stores at once, where C's lines allow
  std::size_t results = 0;       // on a GPU: floats that a work-item has in registers
  std::size_t into_local = 0;  // on a GPU: floats of A and B that it copies into local memory for a step of k
  std::size_t products = 0;    // on matrix units: their products for each product of floats

  const Manifest& manifest() const { return file->manifest; }
  bool reads_in_place() const;     // A and B where they lie, transposed or not
  std::size_t work_items() const;  // of a work-group
};

// The widest vectors that a kernel should compute with on a CPU. PoCL warns on stderr of wider ones than the
// CPU's own, but every CPU has those of 4.
std::size_t widest_cpu_vector(const Device& device);

// The size in floats of a packed copy of `rows` x `columns`, padded, that a kernel with role pack_both makes.
std::size_t packed_size(const KernelConfig& pack, std::size_t rows, std::size_t columns);

// `overrides` go over the variant's values, those over the defaults; the tile may depend on `transposed`.
// Throws Error: invalid_parameter, requirement_failed (both with file and line) or device_limit_exceeded.
KernelConfig configure(const NamedKernel& kernel, const Parameters& overrides, const Device& device,
                       Transposed transposed = {});

// The config with these defined for the compiler beside its parameters (TRANSPOSE_A, ...).
KernelConfig with_macros(KernelConfig config, const Parameters& macros);

// Makes NVIDIA's assembler write a kernel's registers and spills to the build log, if it does assemble.
inline constexpr std::string_view verbose_option = "-cl-nv-verbose";

// Whether the device's compiler knows that option, by the extension cl_nv_compiler_options.
bool is_verbose(const Device& device);

// Whether the operands are such that a part of k can be multiplied by itself.
bool can_split_k(const Manifest& manifest);

}  // namespace clgemm
