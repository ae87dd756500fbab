#include "build/precompiled.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "build/decompress.hpp"

namespace clgemm {
namespace {

// Comments would make every program stale whose file explains something better. A line is left out only if no
// backslash joins it to another one, and if it ends no block comment.
std::string text_for_compiler(std::string_view source) {
  std::string result;
  bool continues = false;
  while (!source.empty()) {
    const std::string_view line = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(line.size() + 1, source.size()));
    const std::string_view text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_joined = continues || text.ends_with('\\');
    continues = text.ends_with('\\');
    const bool says_nothing = text.empty() || text.starts_with("//") || text.starts_with("#line ");
    if (says_nothing && !is_joined && text.find("*/") == std::string_view::npos) continue;
    result.append(text).push_back('\n');
  }
  return result;
}

std::string without(std::string text, std::string_view part) {
  const std::size_t place = text.find(part);
  return place == std::string::npos ? text : text.erase(place, part.size());
}

}  // namespace

std::string precompiled_file(const KernelConfig& config) {
  std::string result = config.manifest().name;
  for (const auto& [name, value] : config.values) result += fmt::format("-{}{}", name, value);
  return result + ".ptx.zst";
}

std::string precompiled_mark(const KernelConfig& config) {
  // This option affects only the log.
  const std::string options = without(config.build_options, fmt::format(" {}", verbose_option));
  const std::string all = fmt::format("{}\n{}\n{}\n{}", options, config.manifest().ptx_target,
                                      config.registers, text_for_compiler(config.file->source));
  return fmt::format("{}{:016x}\n", precompiled_mark_begin, XXH3_64bits(all.data(), all.size()));
}

std::vector<unsigned char> precompiled_ptx(const KernelConfig& config) {
  const std::span<const EmbeddedFile> files = precompiled_programs();
  const std::string name = precompiled_file(config);
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&name](const EmbeddedFile& file) { return file.path == name; });
  return found == files.end() ? std::vector<unsigned char>{}
                              : ptx_behind(precompiled_mark(config), found->text);
}

std::vector<unsigned char> ptx_behind(const std::string& mark, std::string_view compressed) {
  const std::string text = decompressed(compressed);
  const std::size_t place = text.find(mark);
  if (place == std::string::npos) return {};
  const std::string_view behind = std::string_view(text).substr(place + mark.size());
  const std::string_view ptx = behind.substr(0, behind.find(precompiled_mark_begin));
  return {ptx.begin(), ptx.end()};
}

std::string ptx_to_keep(std::string_view binary) {
  // CUDA 12.0's, the first with all that Hopper has. The compiler writes the version of its driver, and older
  // drivers would refuse it. With 8.0, 446 programs for an H200 gave the same machine code as with the 9.0
  // that the driver had written (ptxas of CUDA 13).
  constexpr std::string_view oldest = "8.0";
  constexpr std::string_view directive = "\n.version ";
  std::string result(binary.substr(0, binary.find('\0')));
  const std::size_t place = result.find(directive);
  if (place == std::string::npos) throw Error(ErrorCode::build_failed, "the program's binary is no PTX");
  const std::size_t from = place + directive.size();
  result.replace(from, result.find('\n', from) - from, oldest);
  // A remark for debuggers, which needs version 8.3.
  constexpr std::string_view remark = "\t.pragma \"used_bytes_mask";
  for (std::size_t at = result.find(remark); at != std::string::npos; at = result.find(remark, at))
    result.erase(at, result.find('\n', at) + 1 - at);
  return result;
}

}  // namespace clgemm
