#include "tune/tuning_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/private_file.hpp"
#include "choose/tuning_files.hpp"
#include "choose/tuning_json.hpp"

namespace clgemm::tune {
namespace {

namespace fs = std::filesystem;

// Letters and digits of a name, one _ for whatever is between them.
std::string as_file_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result.empty() ? "device" : result;
}

[[noreturn]] void fail(const fs::path& path) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
}

}  // namespace

fs::path default_output(const Device& device) {
  const fs::path folder = user_tuning_folder();
  if (folder.empty())
    throw std::runtime_error("neither XDG_CONFIG_HOME nor HOME is set: where to? (--output FILE)");
  return folder / (as_file_name(device.name) + ".json");
}

TuningFile read_output(const fs::path& path, const Device& device) {
  TuningFile result{path.string(), tuned_device(device), {}, {}, {}};
  if (!fs::exists(path)) return result;
  TuningFile before = read_file(path);
  if (kinship(before.device, device) != Kinship::same) return result;
  before.device = result.device;
  return before;
}

TuningFile read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  std::stringstream content;
  content << file.rdbuf();
  try {
    return parse_tuning(content.str(), path.string());
  } catch (const Error& error) {
    throw std::runtime_error(
        fmt::format("'{}' is there and is no tuning data of this version: {}", path.string(), error.what()));
  }
}

void write_output(const fs::path& path, const TuningFile& file) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  const std::string text = write_tuning(file);
  const fs::path temporary = path.string() + ".new";
  {
    const File out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!out.is_open() || !out.write_all(text.data(), text.size()) || ::fsync(out.get()) != 0)
      fail(temporary);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail(path);
}

void replace_entry(TuningFile& file, const TunedEntry& entry) {
  const std::string key = entry_key(entry);
  const auto found = std::find_if(file.measured.begin(), file.measured.end(),
                                  [&](const TunedEntry& one) { return entry_key(one) == key; });
  if (found == file.measured.end()) {
    file.measured.push_back(entry);
  } else {
    *found = entry;
  }
}

}  // namespace clgemm::tune
