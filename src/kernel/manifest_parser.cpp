#include "kernel/manifest_parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/words.hpp"
#include "kernel/config_list.hpp"
#include "kernel/contract.hpp"
#include "kernel/manifest_check.hpp"
#include "kernel/precision.hpp"

namespace clgemm {
namespace {

// Removes the remark from a value. Two spaces or more end the value.
std::string_view without_remark(std::string_view value) {
  return trimmed(value.substr(0, value.find("  ")));
}

// Parses a manifest. The tables in this class are never destroyed, because a Context may be made as late as
// in the destructor of a static object.
class ManifestParser {
 public:
  ManifestParser(std::string_view source, const std::string& path) : source_(source), path_(path) {}

  Manifest run() {
    if (!next_line() || key_ != "clgemm") {
      fail("expected the manifest's first line, '// clgemm: NAME'", line_text_);
    }
    do {
      parse_line();
    } while (next_line());
    if (manifest_.align.line == 0) manifest_.align = {Expression::parse("1"), 1};
    check_manifest(manifest_, seen_, path_);
    return std::move(manifest_);
  }

 private:
  // Moves to the next `// key: value` of the block. Returns false at the end of the block, the first line
  // without `// ...`.
  bool next_line() {
    const std::size_t end = std::min(source_.find('\n'), source_.size());
    line_text_ = trimmed(source_.substr(0, end));
    ++line_;
    if (line_text_.substr(0, 2) != "//") return false;
    const std::string_view text = trimmed(line_text_.substr(2));
    if (text.empty()) return false;
    source_.remove_prefix(std::min(end + 1, source_.size()));

    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
      fail("expected '// key: value', or an empty line before other comments", line_text_);
    }
    key_ = trimmed(text.substr(0, colon));
    value_ = trimmed(text.substr(colon + 1));
    return true;
  }

  void parse_line() {
    static const auto& parsers = *new std::map<std::string_view, void (ManifestParser::*)()>{
        {"clgemm", &ManifestParser::parse_name},
        {"role", &ManifestParser::parse_role},
        {"summary", &ManifestParser::parse_summary},
        {"operands", &ManifestParser::parse_operands},
        {"param", &ManifestParser::parse_parameter},
        {"variant", &ManifestParser::parse_variant},
        {"tile", &ManifestParser::parse_tile},
        {"local", &ManifestParser::parse_local},
        {"grid", &ManifestParser::parse_grid},
        {"require", &ManifestParser::parse_require},
        {"shares", &ManifestParser::parse_shares},
        {"precision", &ManifestParser::parse_precision},
        {"matrix_units", &ManifestParser::parse_matrix_units},
        {"least_k", &ManifestParser::parse_least_k},
        {"most_k", &ManifestParser::parse_most_k},
        {"most_rows", &ManifestParser::parse_most_rows},
        {"most_columns", &ManifestParser::parse_most_columns},
        {"fallback", &ManifestParser::parse_fallback},
        {"range_notes", &ManifestParser::parse_range_notes},
        {"ptx", &ManifestParser::parse_ptx},
        {"opencl", &ManifestParser::parse_opencl},
    };
    const auto parser = parsers.find(key_);
    const auto* const rule = find_key(rule_keys);
    const auto* const list = find_key(config_list_keys);
    if (parser == parsers.end() && rule == rule_keys.end() && list == config_list_keys.end()) {
      std::vector<std::string_view> known;
      for (const auto& entry : parsers) known.push_back(entry.first);
      for (const RuleKey& one : rule_keys) known.push_back(one.name);
      for (const ConfigListKey& one : config_list_keys) known.push_back(one.name);
      std::sort(known.begin(), known.end());
      fail(fmt::format("unknown key; the keys are {}", fmt::join(known, ", ")), key_);
    }
    static const auto& repeatable = *new std::set<std::string_view>{"param", "variant", "require"};
    const bool is_repeatable = list != config_list_keys.end() || repeatable.count(key_) != 0;
    if (!seen_.insert(std::string(key_)).second && !is_repeatable) fail("this key appears twice", key_);
    if (value_.empty()) fail("expected a value after the colon", line_text_);
    if (rule != rule_keys.end()) {
      manifest_.*(rule->rule) = rule_of(without_remark(value_));
    } else if (list != config_list_keys.end()) {
      parse_configs(manifest_.*(list->list));
    } else {
      (this->*parser->second)();
    }
  }

  template <typename Keys>
  typename Keys::const_iterator find_key(const Keys& keys) const {
    return std::find_if(keys.begin(), keys.end(), [this](const auto& one) { return one.name == key_; });
  }

  // Adds the path and the line to errors of `parse`.
  template <typename Parse>
  auto in_this_line(const Parse& parse) {
    try {
      return parse();
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}:{}: {}", path_, line_, error.what()));
    }
  }

  void parse_configs(std::vector<Manifest::Values>& list) {
    for (Parameters& values : in_this_line([this] { return parse_config_list(without_remark(value_)); }))
      list.push_back({std::move(values), line_});
  }

  void parse_name() {
    manifest_.name = without_remark(value_);
    if (!is_identifier(manifest_.name)) fail("expected a name of letters, digits and '_'", manifest_.name);
  }

  void parse_role() {
    const auto* const role =
        std::find_if(role_contracts.begin(), role_contracts.end(),
                     [this](const RoleContract& one) { return one.name == without_remark(value_); });
    if (role == role_contracts.end())
      fail("expected multiply, fallback, pack, pack_both, scale or reduce", value_);
    manifest_.role = role->role;
  }

  void parse_summary() { manifest_.summary = value_; }

  // FORM PARAMETER=expression ...
  void parse_operands() {
    parse_helper("expected 'in_place', or the name of a form, which the kernel pack_<form>.cl makes",
                 manifest_.operands, manifest_.packing_parameters);
    if (manifest_.operands == in_place_form && !manifest_.packing_parameters.empty())
      fail("operands that are used in place are not packed", value_);
  }

  // Parses "NAME = default in v1 v2 v3".
  void parse_parameter() {
    const std::vector<std::string> words = words_of(without_remark(value_));
    const std::string expected = "expected 'NAME = default in value value ...'";
    if (words.size() < 5 || words[1] != "=" || words[3] != "in" || !is_identifier(words[0]))
      fail(expected, value_);
    if (manifest_.find_parameter(words[0]) != nullptr)
      fail("there is already a parameter with this name", words[0]);
    if (words[0] == split_parameter) fail("every kernel has this parameter already", words[0]);
    const auto& taken = device_names();
    if (std::find(taken.begin(), taken.end(), words[0]) != taken.end()) {
      fail("this name is reserved for a device value", words[0]);
    }
    Manifest::Parameter parameter{words[0], 0, {}, line_};
    for (std::size_t i = 4; i < words.size(); ++i) parameter.values.push_back(integer(words[i]));
    parameter.default_value = integer(words[2]);
    if (std::count(parameter.values.begin(), parameter.values.end(), parameter.default_value) == 0) {
      fail("the default is not among the values", value_);
    }
    manifest_.parameters.push_back(std::move(parameter));
  }

  // Parses "NAME P=value P=value ...".
  void parse_variant() {
    const std::vector<std::string> words = words_of(without_remark(value_));
    if (words.size() < 2 || !is_identifier(words[0])) fail("expected 'NAME PARAMETER=value ...'", value_);
    Manifest::Variant variant{words[0], {}, line_};
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == std::string::npos) fail("expected PARAMETER=value", words[i]);
      variant.values[words[i].substr(0, equals)] = integer(std::string_view(words[i]).substr(equals + 1));
    }
    manifest_.variants.push_back(std::move(variant));
  }

  void parse_tile() {
    const std::vector<Manifest::Rule> rules =
        rules_of(3, 3, "expected three expressions: rows columns depth");
    manifest_.tile_rows = rules[0];
    manifest_.tile_columns = rules[1];
    manifest_.tile_depth = rules[2];
  }

  void parse_shares() {
    const std::vector<Manifest::Rule> rules = rules_of(2, 2, "expected two expressions: rows columns");
    manifest_.share_rows = rules[0];
    manifest_.share_columns = rules[1];
  }

  void parse_local() {
    manifest_.local = rules_of(1, 2, "expected one or two expressions, one for each dimension of the grid");
  }

  void parse_grid() {
    static const auto& grids = *new std::map<std::string_view, std::vector<GridAxis>>{
        {"rows", {GridAxis::rows}},
        {"columns", {GridAxis::columns}},
        {"rows columns", {GridAxis::rows, GridAxis::columns}},
        {"columns rows", {GridAxis::columns, GridAxis::rows}},
        {"tiles", {GridAxis::tiles}},
    };
    const auto grid = grids.find(without_remark(value_));
    if (grid == grids.end()) fail("expected rows, columns, 'rows columns', 'columns rows' or tiles", value_);
    manifest_.grid = grid->second;
  }

  void parse_require() { manifest_.requirements.push_back(rule_of(without_remark(value_))); }

  void parse_precision() {
    const std::string_view wanted = without_remark(value_);
    const auto* found = std::find_if(precisions.begin(), precisions.end(),
                                     [&](const NamedPrecision& one) { return one.name == wanted; });
    if (found == precisions.end()) fail("expected fp32 or fp32_equivalent", value_);
    manifest_.precision = found->precision;
  }

  void parse_matrix_units() {
    static const auto& all = *new std::map<std::string_view, MatrixUnits>{
        {"16_bit", MatrixUnits::bits16}, {"tf32", MatrixUnits::tf32}, {"fp32", MatrixUnits::fp32}};
    const auto found = all.find(without_remark(value_));
    if (found == all.end()) fail("expected 16_bit, tf32 or fp32", value_);
    manifest_.matrix_units = found->second;
  }

  void parse_least_k() { manifest_.least_k = count(); }
  void parse_most_k() { manifest_.most_k = count(); }
  void parse_most_rows() { manifest_.most_rows = count(); }
  void parse_most_columns() { manifest_.most_columns = count(); }

  std::size_t count() {
    const std::int64_t value = integer(without_remark(value_));
    if (value < 1) fail("expected a number of at least 1", value_);
    return static_cast<std::size_t>(value);
  }

  // Parses "NAME PARAMETER=expression ...".
  void parse_fallback() {
    parse_helper("expected the name of a kernel", manifest_.fallback, manifest_.fallback_parameters);
  }

  // Parses the name of another kernel, or of a form that it makes, and the values of its parameters.
  void parse_helper(const char* expected, std::string& helper,
                    std::map<std::string, Manifest::Rule>& parameters) {
    const std::vector<std::string> words = words_of(without_remark(value_));
    if (words.empty() || !is_identifier(words[0])) fail(expected, value_);
    helper = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      const std::string name = words[i].substr(0, equals);
      if (equals == std::string::npos || !is_identifier(name))
        fail("expected PARAMETER=expression", words[i]);
      const auto rule = rule_of(std::string_view(words[i]).substr(equals + 1));
      if (!parameters.emplace(name, rule).second) fail("this parameter appears twice", name);
    }
  }

  void parse_range_notes() {
    const std::int64_t notes = integer(without_remark(value_));
    constexpr std::int64_t most = 64;  // our forms write 2; more would be data, not notes
    if (notes < 1 || notes > most) fail(fmt::format("expected a number from 1 to {}", most), value_);
    manifest_.range_notes = static_cast<std::size_t>(notes);
  }

  void parse_ptx() {
    manifest_.ptx_target = without_remark(value_);
    if (!is_identifier(manifest_.ptx_target)) fail("expected a PTX target, for example sm_90a", value_);
  }

  void parse_opencl() {
    manifest_.opencl_c = without_remark(value_);
    if (std::find(opencl_c_versions.begin(), opencl_c_versions.end(), manifest_.opencl_c) ==
        opencl_c_versions.end())
      fail(fmt::format("expected {}", fmt::join(opencl_c_versions, ", ")), value_);
  }

  // Parses between `least` and `most` expressions without spaces.
  std::vector<Manifest::Rule> rules_of(std::size_t least, std::size_t most, const std::string& expected) {
    std::vector<Manifest::Rule> result;
    for (const std::string& word : words_of(without_remark(value_))) result.push_back(rule_of(word));
    if (result.size() < least || result.size() > most) fail(expected, value_);
    return result;
  }

  Manifest::Rule rule_of(std::string_view text) {
    return {in_this_line([text] { return Expression::parse(text); }), line_};
  }

  std::int64_t integer(std::string_view text) {
    const std::optional<std::int64_t> value = integer_of(text);
    if (!value) fail("expected an integer", text);
    return *value;
  }

  [[noreturn]] void fail(std::string_view reason, std::string_view found) const {
    fail_in_manifest(path_, line_, reason, found);
  }

  std::string_view source_;
  const std::string& path_;
  int line_ = 0;
  std::string_view line_text_;
  std::string_view key_;
  std::string_view value_;
  std::set<std::string> seen_;
  Manifest manifest_;
};

}  // namespace

Manifest parse_manifest(std::string_view source, const std::string& path) {
  return ManifestParser(source, path).run();
}

}  // namespace clgemm
