#include "kernel/manifest_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "kernel/contract.hpp"

namespace clgemm {
namespace {

class ManifestCheck {
 public:
  ManifestCheck(const Manifest& manifest, const std::set<std::string>& keys, const std::string& path)
      : manifest_(manifest), keys_(keys), path_(path) {}

  void run() const {
    check_keys_of_role();
    check_grid();
    check_variants();
    check_names();
  }

 private:
  bool has(const char* key) const { return keys_.count(key) != 0; }

  void require_key(const char* key) const {
    if (!has(key)) fail_at(1, fmt::format("the manifest has no '{}'", key), manifest_.name);
  }

  void check_keys_of_role() const {
    for (const char* key : {"summary", "tile", "local", "grid"}) require_key(key);
    if (manifest_.role == Role::multiply) require_key("operands");
    if (manifest_.role == Role::pack_both) {
      require_key("size");
      require_key("range_notes");
    }
    if (manifest_.role != Role::multiply && !manifest_.operands.empty()) {
      fail_at(1, "only a kernel with 'role: multiply' has 'operands'", manifest_.operands);
    }
    if (manifest_.takes_lists() && !manifest_.operands.empty() && manifest_.operands != in_place_form) {
      fail_at(manifest_.matrices.line, "only a kernel with 'operands: in_place' has 'batch'",
              manifest_.operands);
    }
    if (manifest_.takes_parts() && !manifest_.operands.empty() && manifest_.operands != in_place_form) {
      fail_at(manifest_.adds_parts.line, "only a kernel with 'operands: in_place' has 'adds_parts'",
              manifest_.operands);
    }
    check_keys_of_other_roles();
  }

  void check_keys_of_other_roles() const {
    struct Belonging {
      const char* key;
      Role role;
    };
    static constexpr Belonging belongings[] = {
        {"precision", Role::multiply},    {"least_k", Role::multiply},  {"most_rows", Role::multiply},
        {"most_columns", Role::multiply}, {"fallback", Role::multiply}, {"batch", Role::multiply},
        {"adds_parts", Role::multiply},   {"size", Role::pack_both},    {"range_notes", Role::pack_both}};
    for (const Belonging& belonging : belongings) {
      if (!has(belonging.key) || manifest_.role == belonging.role) continue;
      fail_at(1,
              fmt::format("only a kernel with 'role: {}' has '{}'", contract_of(belonging.role).name,
                          belonging.key),
              manifest_.name);
    }
  }

  void check_grid() const {
    if (manifest_.local.size() != manifest_.grid.size()) {
      fail_at(manifest_.local[0].line, "'local' and 'grid' must have the same number of dimensions",
              manifest_.name);
    }
    if (manifest_.takes_shares() && manifest_.grid.size() != 2) {
      fail_at(manifest_.share_rows.line, "'shares' needs a grid of rows and columns", manifest_.name);
    }
  }

  void check_variants() const {
    std::set<std::string> names = {manifest_.name};
    for (const Manifest::Variant& variant : manifest_.variants) {
      if (!names.insert(variant.name).second) fail_at(variant.line, "the name is taken", variant.name);
      for (const auto& [name, value] : variant.values) {
        const Manifest::Parameter* parameter = manifest_.find_parameter(name);
        if (parameter == nullptr) fail_at(variant.line, "the kernel has no such parameter", name);
        if (std::count(parameter->values.begin(), parameter->values.end(), value) == 0) {
          fail_at(variant.line, fmt::format("{} must be one of {}", name, fmt::join(parameter->values, " ")),
                  fmt::format("{}={}", name, value));
        }
      }
    }
  }

  void check_names() const {
    std::vector<Manifest::Rule> geometry = {manifest_.tile_rows, manifest_.tile_columns, manifest_.tile_depth,
                                            manifest_.align};
    geometry.insert(geometry.end(), manifest_.local.begin(), manifest_.local.end());
    if (manifest_.takes_shares()) {
      geometry.insert(geometry.end(), {manifest_.share_rows, manifest_.share_columns});
    }
    if (manifest_.takes_lists()) geometry.push_back(manifest_.matrices);
    if (manifest_.registers.line != 0) geometry.push_back(manifest_.registers);
    for (const auto& [name, rule] : manifest_.fallback_parameters) geometry.push_back(rule);
    for (const Manifest::Rule& rule : geometry) check_names_of(rule, {});
    if (manifest_.packed_size.line != 0) {
      check_names_of(manifest_.packed_size,
                     {std::string(packed_rows_name), std::string(packed_columns_name)});
    }
    for (const Manifest::Rule& rule : manifest_.requirements) check_names_of(rule, device_names());
    if (manifest_.takes_parts()) check_names_of(manifest_.adds_parts, device_names());
  }

  void check_names_of(const Manifest::Rule& rule, const std::vector<std::string>& also_known) const {
    for (const std::string& name : rule.expression.names()) {
      if (manifest_.find_parameter(name) != nullptr) continue;
      if (std::find(also_known.begin(), also_known.end(), name) != also_known.end()) continue;
      std::vector<std::string> known = also_known;
      for (const Manifest::Parameter& parameter : manifest_.parameters) known.push_back(parameter.name);
      fail_at(
          rule.line,
          fmt::format("unknown name in '{}'; known here: {}", rule.expression.text(), fmt::join(known, ", ")),
          name);
    }
  }

  [[noreturn]] void fail_at(int line, std::string_view reason, std::string_view found) const {
    fail_in_manifest(path_, line, reason, found);
  }

  const Manifest& manifest_;
  const std::set<std::string>& keys_;
  const std::string& path_;
};

}  // namespace

void check_manifest(const Manifest& manifest, const std::set<std::string>& keys, const std::string& path) {
  ManifestCheck(manifest, keys, path).run();
}

}  // namespace clgemm
