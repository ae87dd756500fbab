// The manifest: what a kernel file says of itself in the comment block at its head. kernels/README.md is the
// specification.
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

// `fallback` multiplies where the kernel that names it finds, on the device, that it cannot.
// `pack_both` packs A and B in one launch.
enum class Role { multiply, fallback, pack, pack_both, scale, reduce };

// What a grid dimension counts: tiles of rows, tiles of columns, or all tiles of C in an order of the
// kernel's own.
enum class GridAxis { rows, columns, tiles };

// What the matrix units of a kernel multiply.
enum class MatrixUnits { bits16, fp32 };

struct Manifest {
  struct Parameter {
    std::string name;
    std::int64_t default_value;
    std::vector<std::int64_t> values;  // all that are allowed
    int line;
  };
  struct Variant {
    std::string name;
    Parameters values;
    int line;
  };
  // An expression and the line that it stands in.
  struct Rule {
    Expression expression;
    int line = 0;
  };
  // Values for some of the parameters, and the line that they stand in.
  struct Values {
    Parameters values;
    int line;
  };

  std::string name;
  Role role = Role::multiply;
  std::string summary;
  std::string
      operands;  // in_place_form, or the form that pack_<form>.cl makes; empty unless role is multiply
  std::vector<Parameter> parameters;
  std::vector<Variant> variants;
  Rule tile_rows;
  Rule tile_columns;
  Rule tile_depth;
  Rule share_rows;  // without a line unless the kernel takes shares: each is a multiple of these
  Rule share_columns;
  Rule matrices;    // without a line unless the kernel takes batches as they come: a work-group does so many
  Rule adds_parts;  // without a line unless the kernel can add up parts of k itself; where it is not 0, it
                    // does
  Rule registers;   // without a line unless compilers that can are told how many a work-item may have; 0: as
                    // they like
  std::vector<Rule> local;     // one a dimension of the grid
  std::vector<GridAxis> grid;  // one axis, or rows and columns in either order
  Rule align;                  // offsets and leading dimensions are multiples of this many elements
  std::vector<Rule> requirements;

  // What calibration and the choice go by. Rules have no line where the manifest says nothing.
  std::vector<Values> calibrated;    // the configs that calibration measures
  Rule calibrate_if;                 // a condition on the device; else all devices that allow them
  Rule vector;                       // on a CPU: floats of the vectors that it computes with
  Rule keeps;                        // on a CPU: bytes that should stay in a core's cache
  Rule panel_depth;                  // on a CPU: steps of k in each panel that it copies op(B) into
  Rule rows_at_once;                 // on a CPU: rows of A that it reads side by side
  Rule stores;                       // on a GPU: neighbours in C that it stores at once where C's lines allow
  Rule results;                      // on a GPU: floats that a work-item has in registers; else its share
                                     // of the tile
  Rule into_local;                   // on a GPU: floats of A and B that a work-group copies into local
                                     // memory for a step of k
  Rule products;                     // on matrix units: their products for each product of floats
  std::vector<Values> estimated;     // of these: configs with a rate even if nobody has measured them
  std::vector<Values> stand_ins;     // tried where tuning data has no row of this kernel
  std::vector<Values> run_anywhere;  // tried last

  // Of a kernel with role multiply.
  MatrixUnits matrix_units = MatrixUnits::bits16;  // if it has `products`
  Precision precision = Precision::fp32;           // what a caller must allow
  std::size_t least_k = 1;                         // from which on its errors are as small as that says
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();  // of C, for which it is meant
  std::size_t most_columns = std::numeric_limits<std::size_t>::max();
  std::string fallback;                             // the kernel behind this one; empty: none
  std::map<std::string, Rule> fallback_parameters;  // of that one, by those of this one; others: its defaults

  // Of a kernel with role pack_both.
  Rule packed_size;             // of one packed copy, in floats
  std::size_t range_notes = 0;  // words that each of its work-groups leaves for those who read the copies

  std::string opencl_c = "1.2";  // the version that the source is written in
  std::string ptx_target;  // on NVIDIA: the PTX target that the compiled program is taken to; empty: as it is

  bool takes_shares() const { return share_rows.line != 0; }

  // Whether the kernel is told how many matrices a batch has, and may get a list of where they lie.
  bool takes_lists() const { return matrices.line != 0; }

  // Whether its tiles depend on which operands are transposed.
  bool tile_depends_on_operands() const;

  // Whether the kernel is told of the parts that k is split into.
  bool takes_parts() const { return adds_parts.line != 0; }

  const Parameter* find_parameter(std::string_view parameter) const;
  const Variant* find_variant(std::string_view variant) const;
};

// The operands form that needs no packing, and the one of zero-padded matrices.
inline constexpr std::string_view in_place_form = "in_place";
inline constexpr std::string_view padded_form = "padded";

// The parameter that every kernel of these two forms has without naming it: how many parts k is split into.
inline constexpr const char* split_parameter = "SPLIT_K";

// The names that the size of a packed copy may use beside the kernel's parameters.
inline constexpr std::string_view packed_rows_name = "rows";
inline constexpr std::string_view packed_columns_name = "columns";
const std::vector<std::string>& packed_size_names();

// The names that a `require` may use beside the kernel's parameters; they stand for what the device has.
// "extension()" is for all of the form extension(cl_khr_fp16).
const std::vector<std::string>& device_names();

const std::vector<std::string>& no_names();

// The names that the tile of a kernel with `operands: in_place` may use beside its parameters: 1 where the
// operand is transposed. The program is compiled with both.
inline constexpr std::string_view transpose_a_name = "TRANSPOSE_A";
inline constexpr std::string_view transpose_b_name = "TRANSPOSE_B";
const std::vector<std::string>& operand_names();

// The keys whose value is one expression, and the names that it may use beside the kernel's parameters.
struct RuleKey {
  std::string_view name;
  Manifest::Rule Manifest::*rule;
  const std::vector<std::string>& (*known_names)();
};
inline constexpr std::array rule_keys = {RuleKey{"align", &Manifest::align, no_names},
                                         RuleKey{"batch", &Manifest::matrices, no_names},
                                         RuleKey{"adds_parts", &Manifest::adds_parts, device_names},
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

// The keys whose value is a list of configs.
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
