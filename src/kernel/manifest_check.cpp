#include "kernel/manifest_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "kernel/config.hpp"
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
    check_configs();
    check_names();
  }

 private:
  bool has(const char* key) const { return keys_.count(key) != 0; }

  void require_key(const char* key) const {
    if (!has(key)) fail_at(1, fmt::format("the manifest has no '{}'", key), manifest_.name);
  }

  void check_keys_of_role() const {
    for (const char* key : {"summary", "tile", "local", "grid"}) require_key(key);
    if (manifest_.role == Role::gemm) require_key("operands");
    if (manifest_.role == Role::pack_both) {
      require_key("size");
      require_key("range_notes");
    }
    if (manifest_.role != Role::gemm && !manifest_.operands.empty()) {
      fail_at(1, "only a kernel with 'role: multiply' has 'operands'", manifest_.operands);
    }
    if (manifest_.takes_lists() && !manifest_.operands.empty() && manifest_.operands != in_place_form) {
      fail_at(manifest_.matrices.line, "only a kernel with 'operands: in_place' has 'batch'",
              manifest_.operands);
    }
    if (manifest_.takes_slices() && !manifest_.operands.empty() && manifest_.operands != in_place_form &&
        !manifest_.keeps_one()) {
      fail_at(manifest_.adds_slices.line,
              "only a kernel with 'operands: in_place' or with 'unpacked' has 'adds_parts'",
              manifest_.operands);
    }
    if (manifest_.keeps_one() && manifest_.fallback.empty())
      fail_at(manifest_.kept.line, "only a kernel with 'fallback' has 'unpacked'", manifest_.name);
    check_keys_of_other_roles();
  }

  void check_keys_of_other_roles() const {
    for (const char* key :
         {"precision", "least_k",      "most_k",       "most_rows", "most_columns",  "fallback",
          "batch",     "adds_parts",   "unpacked",     "calibrate", "calibrate_if",  "vector",
          "keeps",     "panel_depth",  "rows_at_once", "stores",    "results",       "into_local",
          "products",  "matrix_units", "estimate",     "stands_in", "runs_anywhere", "persistent"})
      check_belongs_to(Role::gemm, key);
    for (const char* key : {"size", "range_notes"}) check_belongs_to(Role::pack_both, key);
    if (has("matrix_units")) require_key("products");
  }

  void check_belongs_to(Role role, const char* key) const {
    if (!has(key) || manifest_.role == role) return;
    fail_at(1, fmt::format("only a kernel with 'role: {}' has '{}'", contract_of(role).name, key),
            manifest_.name);
  }

  void check_grid() const {
    if (manifest_.local.size() != manifest_.grid.size()) {
      fail_at(manifest_.local[0].line, "'local' and 'grid' must have the same number of dimensions",
              manifest_.name);
    }
    if (manifest_.persistent.line != 0 && manifest_.grid[0] != GridAxis::tiles) {
      fail_at(manifest_.persistent.line, "'persistent' needs a grid of tiles", manifest_.name);
    }
    if (manifest_.takes_shares() && manifest_.grid.size() != 2) {
      fail_at(manifest_.share_rows.line, "'shares' needs a grid of rows and columns", manifest_.name);
    }
  }

  void check_variants() const {
    std::set<std::string> names = {manifest_.name};
    for (const Manifest::Variant& variant : manifest_.variants) {
      if (!names.insert(variant.name).second)
        fail_at(variant.line, "this name is already used", variant.name);
      check_values(variant.values, variant.line);
    }
  }

  void check_configs() const {
    for (const ConfigListKey& key : config_list_keys) {
      std::set<Parameters> known;
      for (const auto& [values, line] : manifest_.*key.list) {
        check_values(values, line);
        if (!known.insert(values).second)
          fail_at(line, fmt::format("'{}' has this config twice", key.name), describe_values(values));
      }
    }
  }

  void check_values(const Parameters& values, int line) const {
    for (const auto& [name, value] : values) {
      const Manifest::Parameter* parameter = manifest_.find_parameter(name);
      if (parameter == nullptr) fail_at(line, "the kernel has no such parameter", name);
      if (std::count(parameter->values.begin(), parameter->values.end(), value) != 0) continue;
      fail_at(line, fmt::format("{} must be one of {}", name, fmt::join(parameter->values, " ")),
              fmt::format("{}={}", name, value));
    }
  }

  void check_names() const {
    const bool is_in_place = manifest_.operands == in_place_form;
    for (const Manifest::Rule* rule : {&manifest_.tile_rows, &manifest_.tile_columns, &manifest_.tile_depth})
      check_names_of(*rule, is_in_place ? operand_names() : no_names());
    std::vector<Manifest::Rule> geometry = manifest_.local;
    if (manifest_.takes_shares()) {
      geometry.insert(geometry.end(), {manifest_.share_rows, manifest_.share_columns});
    }
    for (const auto* parameters : {&manifest_.fallback_parameters, &manifest_.packing_parameters}) {
      for (const auto& [name, rule] : *parameters) geometry.push_back(rule);
    }
    for (const Manifest::Rule& rule : geometry) check_names_of(rule, no_names());
    for (const Manifest::Rule& rule : manifest_.requirements) check_names_of(rule, device_names());
    for (const RuleKey& key : rule_keys) check_names_of(manifest_.*key.rule, key.known_names());
  }

  void check_names_of(const Manifest::Rule& rule, const std::vector<std::string>& also_known) const {
    for (const std::string& name : rule.expression.names()) {
      if (manifest_.find_parameter(name) != nullptr) continue;
      const std::string form = name.substr(0, name.find('(')) + (name.back() == ')' ? "()" : "");
      if (std::find(also_known.begin(), also_known.end(), form) != also_known.end()) continue;
      std::vector<std::string> known = also_known;
      for (const Manifest::Parameter& parameter : manifest_.parameters) known.push_back(parameter.name);
      fail_at(rule.line,
              fmt::format("unknown name in '{}'; the known names are {}", rule.expression.text(),
                          fmt::join(known, ", ")),
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
