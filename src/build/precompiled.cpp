#include "build/precompiled.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

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

// Returns the file that would have a config's program. Empty if there is none.
std::string_view compressed_file(const KernelConfig& config) {
  const std::span<const EmbeddedFile> files = precompiled_programs();
  const std::string name = precompiled_file(config);
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&name](const EmbeddedFile& file) { return file.path == name; });
  return found == files.end() ? std::string_view{} : found->text;
}

}  // namespace

std::string precompiled_file(const KernelConfig& config) {
  std::string result = config.manifest().name;
  for (const auto& [name, value] : config.values) result += fmt::format("-{}{}", name, value);
  return result + ".cubin.zst";
}

std::string precompiled_hash(const KernelConfig& config) {
  // This option affects only the log.
  const std::string options = without(config.build_options, fmt::format(" {}", verbose_option));
  const std::string all = fmt::format("{}\n{}\n{}\n{}", options, config.manifest().ptx_target,
                                      config.registers, text_for_compiler(config.file->source));
  return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

PrecompiledProgram precompiled_program(const KernelConfig& config) {
  return program_with(precompiled_hash(config), compressed_file(config));
}

PrecompiledProgram program_with(const std::string& hash, std::string_view compressed) {
  const std::string programs = decompressed(compressed);
  const std::string mark = fmt::format("{}{} ", precompiled_mark, hash);
  const std::size_t place = programs.find(mark);
  if (place == std::string::npos) return {};
  const char* const end = programs.data() + programs.size();
  PrecompiledProgram result;
  const auto [behind, error] =
      std::from_chars(programs.data() + place + mark.size(), end, result.spilled_bytes);
  if (error != std::errc() || behind == end) return {};
  const std::string_view rest(behind + 1, end);  // behind the line
  const std::string_view binary = rest.substr(0, rest.find(precompiled_mark));
  result.binary.assign(binary.begin(), binary.end());
  return result;
}

std::uint64_t precompiled_version(const KernelConfig& config) {
  const std::string_view file = compressed_file(config);
  return file.empty() ? 0 : XXH3_64bits(file.data(), file.size());
}

}  // namespace clgemm
