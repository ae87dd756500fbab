#include "kernel/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace clgemm {

const Manifest::Parameter* Manifest::find_parameter(std::string_view parameter) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& candidate) { return candidate.name == parameter; });
  return found == parameters.end() ? nullptr : &*found;
}

const Manifest::Variant* Manifest::find_variant(std::string_view variant) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& candidate) { return candidate.name == variant; });
  return found == variants.end() ? nullptr : &*found;
}

const std::vector<std::string>& packed_size_names() {
  static const auto& names =
      *new std::vector<std::string>{std::string(packed_rows_name), std::string(packed_columns_name)};
  return names;
}

bool Manifest::depends_on_operands() const {
  const auto depends = [](const Rule& rule) {
    const std::vector<std::string> names = rule.expression.names();
    return std::any_of(names.begin(), names.end(), [](const std::string& one) {
      return std::count(operand_names().begin(), operand_names().end(), one) != 0;
    });
  };
  return depends(tile_rows) || depends(tile_columns) || depends(tile_depth);
}

const std::vector<std::string>& no_names() {
  static const auto& names = *new std::vector<std::string>;
  return names;
}

const std::vector<std::string>& operand_names() {
  static const auto& names =
      *new std::vector<std::string>{std::string(transpose_a_name), std::string(transpose_b_name)};
  return names;
}

const std::vector<std::string>& device_names() {
  static const auto& names = *new std::vector<std::string>{
      "local_bytes", "local_in_global", "max_work_group_size", "compute_units", "native_float_width",
      "is_cpu",      "nvidia_sm",       "matrix_sub_group",    "extension()",   "arch()"};
  return names;
}

void fail_in_manifest(const std::string& path, int line, std::string_view reason, std::string_view found) {
  throw Error(ErrorCode::invalid_kernel_file, fmt::format("{}:{}: '{}': {}", path, line, found, reason));
}

}  // namespace clgemm
