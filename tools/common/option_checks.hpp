// Messages of bench and tuner about wrong values and options. They are our own because those of CLI11 show
// its internals.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "common/kernel_names.hpp"

namespace clgemm::bench {

// The description of the option explains the names.
inline CLI::Validator one_of(const std::vector<std::string>& names) {
  return {[names](const std::string& text) {
            if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
            return fmt::format("'{}' is not one of {}{}", text, fmt::join(names, ", "),
                               did_you_mean(text, names));
          },
          ""};
}

template <class Number>
CLI::Validator between(Number least, Number most) {
  return {[least, most](const std::string& text) {
            Number value{};
            const char* end = text.data() + text.size();
            const auto [rest, status] = std::from_chars(text.data(), end, value);
            if (status == std::errc() && rest == end && least <= value && value <= most) return std::string();
            return fmt::format("'{}' is not a {}number from {} to {}", text,
                               std::is_integral_v<Number> ? "whole " : "", least, most);
          },
          ""};
}

// Finds the argument on the command line that is not an option.
inline std::string unknown_option(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& word : app.remaining()) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("-")) return fmt::format("there is no option {}{}", name, did_you_mean(name, known));
  }
  const std::string word = app.remaining().front();
  const bool is_size = word != "x" && word.find_first_not_of("0123456789x") == std::string::npos;
  const char* meant = is_size ? "--size" : names_a_file(word) ? "--kernel" : nullptr;
  return fmt::format("'{}' does not belong to an option{}", fmt::join(app.remaining(), " "),
                     meant == nullptr ? "" : fmt::format("; did you mean '{} {}'?", meant, word));
}

}  // namespace clgemm::bench
