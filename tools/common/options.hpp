// The common parts of the command lines of bench and tuner. Messages about wrong values and options are our
// own, because those of CLI11 show its internals.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "common/kernel_names.hpp"
#include "common/number.hpp"
#include "common/usage_error.hpp"

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
            const std::optional<Number> value = number_in<Number>(text);
            if (value && least <= *value && *value <= most) return std::string();
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

// Parses the command line. Returns false if it asks for the help or the version, which are then printed.
// Throws UsageError.
inline bool parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    app.exit(request, std::cout, std::cerr);
    return false;
  } catch (const CLI::ExtrasError&) {
    throw UsageError(unknown_option(app));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return true;
}

// Options of which only one can be given, each with the action that it requests.
template <class Action>
class Actions {
 public:
  CLI::Option* add(Action action, CLI::Option* option) {
    all_.emplace_back(option, action);
    return option;
  }

  // Returns the option that was given and its action, or null and `otherwise`. Throws UsageError if there are
  // two.
  std::pair<const CLI::Option*, Action> given(Action otherwise) const {
    std::pair<const CLI::Option*, Action> found{nullptr, otherwise};
    for (const auto& [option, action] : all_) {
      if (option->count() == 0) continue;
      if (found.first != nullptr)
        throw UsageError(
            fmt::format("{} and {} cannot be used together", found.first->get_name(), option->get_name()));
      found = {option, action};
    }
    return found;
  }

 private:
  std::vector<std::pair<const CLI::Option*, Action>> all_;
};

}  // namespace clgemm::bench
