// A kernel file with a value for each of its parameters, checked against a device. It has everything that the
// plan and the compiler need to know.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "kernel/config.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm {

// Which operands are transposed, as a kernel sees them.
struct Transposed {
  bool a = false;
  bool b = false;

  auto operator<=>(const Transposed&) const = default;
};

struct KernelConfig {
  std::string name;  // the name that was asked for: a kernel or a variant
  std::shared_ptr<const KernelFile> file;
  Parameters values;  // every parameter of the kernel
  Parameters macros;  // additional macros for the compiler

  // The part of C, and the depth, on which one work-group works at a time.
  std::size_t tile_rows = 1;
  std::size_t tile_columns = 1;
  std::size_t tile_depth = 1;

  // The factor by which the tile is larger than without transposes.
  double tile_growth = 1.0;

  // If the kernel takes shares, a work-group's part of C may be any multiple of these, up to the tile, and
  // the host decides how many work-groups there are. 0 for other kernels.
  std::size_t share_rows = 0;
  std::size_t share_columns = 0;

  std::size_t matrices = 1;  // matrices of a batch that one work-group computes
  bool adds_slices = false;  // one launch also adds up the slices along k; otherwise another kernel does

  // The most work-groups of a launch for each compute unit, if a work-group may compute several tiles; 0: it
  // computes one.
  std::size_t persistent = 0;

  std::vector<std::size_t> local;  // work-group size, one entry for each dimension of the grid
  std::size_t registers = 0;       // on NVIDIA: the most registers of a work-item; 0: the compiler decides
  std::size_t align = 1;           // in elements: divides offsets and leading dimensions of A and B
  Parameters fallback_values;      // for the fallback kernel; its other parameters have its defaults
  Parameters packing_values;       // likewise for the kernel that packs the operands
  bool keeps_a = false;            // reads A in place although B is packed
  bool keeps_b = false;            // reads B in place although A is packed
  std::size_t split_k = 0;         // slices along k, each with work-groups of its own; 0: the plan decides
  std::string build_options;       // all -D that the source needs, and options for the device's compiler

  // The values for calibration and choice, from the manifest. 0: the manifest has none.
  bool is_calibrated = true;     // on this device, if the manifest lists the config
  std::size_t vector = 0;        // on a CPU: floats in the vectors with which it computes
  std::size_t kept_bytes = 0;    // on a CPU: bytes that should stay in a core's cache
  std::size_t panel_depth = 0;   // on a CPU: steps of k in each panel into which it copies op(B)
  std::size_t rows_at_once = 0;  // on a CPU: rows of A that it reads side by side
  std::size_t stores = 1;        // neighbours in C that it stores at once, if C's lines allow it
  std::size_t results = 0;       // on a GPU: floats that a work-item has in registers
  // On a GPU: floats of A and B that it copies into local memory for a step of k.
  std::size_t into_local = 0;
  std::size_t products = 0;  // on matrix units: their products for each product of floats

  const Manifest& manifest() const { return file->manifest; }
  bool reads_in_place() const;  // A and B, transposed or not
  bool reads_a_in_place() const { return keeps_a || reads_in_place(); }
  bool reads_b_in_place() const { return keeps_b || reads_in_place(); }
  std::size_t work_items() const;  // in a work-group
};

// Returns the widest vectors with which a kernel should compute on a CPU. PoCL warns on stderr about vectors
// wider than the CPU's own, but every CPU has vectors of 4.
std::size_t widest_cpu_vector(const Device& device);

// Returns the size in floats of a padded packed copy of `rows` x `columns` that a kernel with role pack_both
// makes.
std::size_t packed_size(const KernelConfig& pack_kernel, std::size_t rows, std::size_t columns);

// Makes a config. `overrides` replace the variant's values, and these replace the defaults. The tile and the
// time of a step may depend on `transposed`. Throws an Error: invalid_parameter, requirement_failed (both
// with file and line) or device_limit_exceeded.
KernelConfig configure(const NamedKernel& kernel, const Parameters& overrides, const Device& device,
                       Transposed transposed = {});

// Returns the config with more macros for the compiler in addition to its parameters (TRANSPOSE_A, ...).
KernelConfig with_macros(KernelConfig config, const Parameters& macros);

// Makes NVIDIA's assembler write a kernel's registers and spills to the build log, if it runs.
inline constexpr std::string_view verbose_option = "-cl-nv-verbose";

// Returns whether the device's compiler knows that option, from the extension cl_nv_compiler_options.
bool is_verbose(const Device& device);

// Returns whether the kernel can compute slices along k.
bool can_split_k(const Manifest& manifest);

}  // namespace clgemm
