#include "stress_subjects.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "choose/tuning_files.hpp"
#include "kernel/kernel_config.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::test {
namespace {

constexpr const char* usage =
    "kernel_stress [--calls N] [--other-calls N] [--size MxNxK] [--only PART_OF_A_NAME] [--seconds N]\n"
    "              [--without-copies] [--kernel-folder FOLDER] [--kernel NAME|default [PARAMETER=VALUE "
    "...]]\n";

constexpr const char* default_choice = "default";

// Has enough steps along k for a ring of stages to go round many times, in about 0.1 ms on the GPUs that have
// rings. It also has enough tiles that a work-group of a large GPU may compute two or more of them.
constexpr Size size_of_rings{2100, 1900, 1500};
// For other kernels: many tiles and steps, in 20 us with a fast kernel, and not in seconds with a slow one.
constexpr Size size_of_others{300, 260, 1000};

// Returns the configs that the library may choose: all in its tuning data. The ranking also tries other
// numbers of slices along k, which run the same program.
std::vector<Subject> choosable(const Device& device, std::size_t calls) {
  std::set<std::pair<std::string, Parameters>> found;
  std::vector<Subject> result;
  const auto add = [&](const Config& config) {
    try {
      configure(KernelLibrary().find(config.kernel), config.parameters, device);
    } catch (const Error&) {
      return;  // not for this device
    }
    if (found.emplace(config.kernel, config.parameters).second)
      result.push_back({config.kernel, config.parameters, calls});
  };
  const Tuning tuning = tuning_from_environment();
  if (const auto tables = tuning.tables(device); !tables.empty()) {
    for (const ConfigRow& row : tables.front().rows()) add(row.config);
  }
  for (const TuningFile& file : tuning.files()) {
    if (kinship(file.device, device) != Kinship::same) continue;
    for (const TunedEntry& entry : file.measured) {
      if (entry.space.empty()) add(entry.config);
    }
  }
  return result;
}

std::size_t number_of(const std::string& text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0')
    throw Error(ErrorCode::invalid_argument, fmt::format("'{}' is not a number", text));
  return value;
}

Size read_size(const std::string& text) {
  const std::size_t first = text.find('x');
  const std::size_t second = text.find('x', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    throw Error(ErrorCode::invalid_argument, fmt::format("'{}' is no size (MxNxK)", text));
  return {number_of(text.substr(0, first)), number_of(text.substr(first + 1, second - first - 1)),
          number_of(text.substr(second + 1))};
}

}  // namespace

Settings read_settings(const std::vector<std::string>& words) {
  Settings settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (const std::size_t equals = word.find('='); equals != std::string::npos && !settings.kernel.empty()) {
      settings.parameters[word.substr(0, equals)] =
          static_cast<std::int64_t>(number_of(word.substr(equals + 1)));
    } else if (word == "--without-copies") {
      settings.copies = false;
    } else if (i + 1 == words.size()) {
      throw Error(ErrorCode::invalid_argument, usage);
    } else if (word == "--calls") {
      settings.calls = number_of(words[++i]);
    } else if (word == "--other-calls") {
      settings.other_calls = number_of(words[++i]);
    } else if (word == "--size") {
      settings.size = read_size(words[++i]);
    } else if (word == "--only") {
      settings.only = words[++i];
    } else if (word == "--seconds") {
      settings.seconds = static_cast<double>(number_of(words[++i]));
    } else if (word == "--kernel-folder") {
      settings.folder = words[++i];
    } else if (word == "--kernel") {
      settings.kernel = words[++i];
    } else {
      throw Error(ErrorCode::invalid_argument, usage);
    }
  }
  return settings;
}

std::string Subject::name() const {
  const std::string values = describe_values(parameters);
  return (kernel.empty() ? default_choice : kernel) + (values.empty() ? "" : " " + values);
}

std::vector<Subject> subjects_of(const Settings& settings, const Device& device) {
  if (!settings.kernel.empty()) {
    const bool is_default = settings.kernel == default_choice;
    return {{is_default ? "" : settings.kernel, settings.parameters, settings.calls}};
  }
  std::vector<Subject> result = {{"", {}, settings.calls}};
  for (const Subject& subject : choosable(device, settings.calls)) result.push_back(subject);
  KernelLibrary library(settings.folder);
  std::set<std::string> known;
  for (const Subject& subject : result) known.insert(subject.kernel);
  for (const std::string& name : library.names(Role::gemm)) {
    if (known.count(name) == 0) result.push_back({name, {}, settings.other_calls});
  }
  std::erase_if(result, [&](const Subject& subject) {
    return subject.name().find(settings.only) == std::string::npos;
  });
  return result;
}

Size size_for(const Subject& subject, const Settings& settings) {
  if (settings.size.m != 0) return settings.size;
  if (subject.kernel.empty()) return size_of_rings;
  KernelLibrary library(settings.folder);
  const std::string& operands = library.find(subject.kernel).file->manifest.operands;
  return operands == in_place_form || operands == padded_form ? size_of_others : size_of_rings;
}

}  // namespace clgemm::test
