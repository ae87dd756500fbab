// The manifest: the description of a kernel in the comment block at the head of its file. kernels/README.md
// is the specification.
#pragma once

#include <array>
#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/expression.hpp"

namespace clgemm {

// A name and an integer for each parameter that has a value.
using Parameters = std::map<std::string, std::int64_t>;

// A kernel with role `fallback` computes if the kernel that names it finds, on the device, that it cannot.
// `pack_both` packs A and B in one launch.
enum class Role { gemm, fallback, pack, pack_both, scale, reduce };

// The things that a grid dimension counts: tiles of rows, tiles of columns, or all tiles of C in an order
// that the kernel decides.
enum class GridAxis { rows, columns, tiles };

// The numbers that the matrix units of a kernel multiply.
enum class MatrixUnits { bits16, tf32, fp32 };

struct Manifest {
  struct Parameter {
    std::string name;
    std::int64_t default_value;
    std::vector<std::int64_t> values;  // all allowed values
    int line;
  };
  struct Variant {
    std::string name;
    Parameters values;
    int line;
  };
  // An expression and its line.
  struct Rule {
    Expression expression;
    int line = 0;
  };
  // Values for some of the parameters, and their line.
  struct Values {
    Parameters values;
    int line;
  };

  std::string name;
  Role role = Role::gemm;
  std::string summary;
  // The form in_place_form, or the form that pack_<form>.cl makes. Empty unless the role is multiply.
  std::string operands;
  // Without a line unless the kernel reads one operand in place, so that only the other is packed: 1 for A, 2
  // for B.
  Rule kept;
  // Parameters of the kernel that packs, as expressions of this kernel's. Others have their defaults.
  std::map<std::string, Rule> packing_parameters;
  std::vector<Parameter> parameters;
  std::vector<Variant> variants;
  Rule tile_rows;
  Rule tile_columns;
  Rule tile_depth;
  Rule share_rows;  // without a line unless the kernel takes shares: each share is a multiple of these
  Rule share_columns;
  // Without a line unless the kernel takes batches directly: the matrices that a work-group computes.
  Rule matrices;
  // Without a line unless the kernel can add up slices along k itself. It does so if this is not 0.
  Rule adds_slices;
  // Without a line unless a work-group may compute several tiles, one after another: the most work-groups of
  // a launch for each compute unit, except for batches and slices along k. 0: as many as there are tiles.
  Rule persistent;
  // Without a line unless the kernel limits the registers of a work-item, for compilers that can. 0: no
  // limit.
  Rule registers;
  std::vector<Rule> local;     // one for each dimension of the grid
  std::vector<GridAxis> grid;  // one axis, or rows and columns in either order
  Rule align;                  // offsets and leading dimensions are multiples of this many elements
  std::vector<Rule> requirements;

  // The values for calibration and choice. A rule without a line is not in the manifest.
  std::vector<Values> calibrated;  // the configs that calibration measures
  Rule calibrate_if;               // a condition on the device; otherwise all devices that allow the configs
  Rule vector;                     // on a CPU: floats in the vectors with which it computes
  Rule keeps;                      // on a CPU: bytes that should stay in a core's cache
  Rule panel_depth;                // on a CPU: steps of k in each panel into which it copies op(B)
  Rule rows_at_once;               // on a CPU: rows of A that it reads side by side
  Rule stores;                     // on a GPU: neighbours in C that it stores at once, if C's lines allow it
  // On a GPU: floats that a work-item has in registers; without a line, its part of the tile.
  Rule results;
  // On a GPU: floats of A and B that a work-group copies into local memory for a step of k.
  Rule into_local;
  Rule products;                     // on matrix units: their products for each product of floats
  std::vector<Values> estimated;     // some of these: configs with a rate even without a measurement
  std::vector<Values> stand_ins;     // tried if tuning data has no row for this kernel
  std::vector<Values> run_anywhere;  // tried last

  // For a kernel with role multiply.
  MatrixUnits matrix_units = MatrixUnits::bits16;  // if it has `products`
  Precision precision = Precision::fp32;           // that a caller must allow
  std::size_t least_k = 1;  // the least k for which its errors are as small as `precision` requires
  std::size_t most_k = std::numeric_limits<std::size_t>::max();     // if the kernel is for small k
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();  // of C, if the kernel is for few rows
  std::size_t most_columns = std::numeric_limits<std::size_t>::max();
  std::string fallback;                             // the fallback kernel; empty: none
  std::map<std::string, Rule> fallback_parameters;  // from this kernel's; others have their defaults
  Rule packed_size;                                 // of one packed copy, in floats
  std::size_t range_notes = 0;  // words that each of its work-groups writes for readers of the copies

  std::string opencl_c = "1.2";  // the version in which the source is written
  std::string ptx_target;        // on NVIDIA: the PTX target of the compiled program; empty: the compiler's

  bool takes_shares() const { return share_rows.line != 0; }

  // Returns whether the kernel gets the number of matrices of a batch, and possibly a list of their places.
  bool takes_lists() const { return matrices.line != 0; }

  // Returns whether it computes all of a small k at once, in whole steps of the tile's depth.
  bool is_for_small_k() const { return most_k != std::numeric_limits<std::size_t>::max(); }

  // Returns whether its tiles or the time of a step depend on which operands are transposed.
  bool depends_on_operands() const;

  // Returns whether it reads one operand in place and the other one packed.
  bool keeps_one() const { return kept.line != 0; }

  // Returns whether the kernel gets the slices into which k is split.
  bool takes_slices() const { return adds_slices.line != 0; }

  const Parameter* find_parameter(std::string_view parameter) const;
  const Variant* find_variant(std::string_view variant) const;
};

// The form of operands that needs no packing, and that of zero-padded matrices.
inline constexpr std::string_view in_place_form = "in_place";
inline constexpr std::string_view padded_form = "padded";

// The parameter that every kernel of these two forms has without a declaration: the number of slices along k.
inline constexpr const char* split_parameter = "SPLIT_K";

// The names that the size of a packed copy may use in addition to the kernel's parameters.
inline constexpr std::string_view packed_rows_name = "rows";
inline constexpr std::string_view packed_columns_name = "columns";
const std::vector<std::string>& packed_size_names();

// Returns the names that a `require` may use in addition to the kernel's parameters; their values come from
// the device. "extension()" stands for all names of the form extension(cl_khr_fp16).
const std::vector<std::string>& device_names();

const std::vector<std::string>& no_names();

// The names that the tile of a kernel with `operands: in_place` may use in addition to its parameters. They
// are 1 if the operand is transposed. The program is compiled with both.
inline constexpr std::string_view transpose_a_name = "TRANSPOSE_A";
inline constexpr std::string_view transpose_b_name = "TRANSPOSE_B";
const std::vector<std::string>& operand_names();

// The keys with one expression as value, and the names that it may use in addition to the kernel's
// parameters.
struct RuleKey {
  std::string_view name;
  Manifest::Rule Manifest::*rule;
  const std::vector<std::string>& (*known_names)();
};
inline constexpr std::array rule_keys = {RuleKey{"align", &Manifest::align, no_names},
                                         RuleKey{"unpacked", &Manifest::kept, no_names},
                                         RuleKey{"batch", &Manifest::matrices, no_names},
                                         RuleKey{"adds_parts", &Manifest::adds_slices, device_names},
                                         RuleKey{"persistent", &Manifest::persistent, no_names},
                                         RuleKey{"registers", &Manifest::registers, no_names},
                                         RuleKey{"calibrate_if", &Manifest::calibrate_if, device_names},
                                         RuleKey{"vector", &Manifest::vector, no_names},
                                         RuleKey{"keeps", &Manifest::keeps, no_names},
                                         RuleKey{"panel_depth", &Manifest::panel_depth, no_names},
                                         RuleKey{"rows_at_once", &Manifest::rows_at_once, no_names},
                                         RuleKey{"stores", &Manifest::stores, no_names},
                                         RuleKey{"results", &Manifest::results, no_names},
                                         RuleKey{"into_local", &Manifest::into_local, no_names},
                                         RuleKey{"products", &Manifest::products, no_names},
                                         RuleKey{"size", &Manifest::packed_size, packed_size_names}};

// The keys with a list of configs as value.
struct ConfigListKey {
  std::string_view name;
  std::vector<Manifest::Values> Manifest::*list;
};
inline constexpr std::array config_list_keys = {ConfigListKey{"calibrate", &Manifest::calibrated},
                                                ConfigListKey{"estimate", &Manifest::estimated},
                                                ConfigListKey{"stands_in", &Manifest::stand_ins},
                                                ConfigListKey{"runs_anywhere", &Manifest::run_anywhere}};

// Throws Error(invalid_kernel_file): "path:line: 'found': reason".
[[noreturn]] void fail_in_manifest(const std::string& path, int line, std::string_view reason,
                                   std::string_view found);

}  // namespace clgemm
