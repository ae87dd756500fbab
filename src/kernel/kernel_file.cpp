#include "kernel/kernel_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "kernel/manifest_parser.hpp"

namespace clgemm {
namespace {

constexpr std::string_view extension = ".cl";

bool names_a_file(const std::string& name) {
  const bool ends_in_extension =
      name.size() > extension.size() &&
      name.compare(name.size() - extension.size(), extension.size(), extension) == 0;
  return ends_in_extension || std::filesystem::path(name).has_parent_path();
}

std::vector<std::filesystem::path> checked_folder(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw Error(ErrorCode::invalid_kernel_file,
                fmt::format("the kernel folder '{}'{} is not a folder", folder,
                            folder == environment("CLGEMM_KERNEL_DIR") ? " of CLGEMM_KERNEL_DIR" : ""));
  }
  return {folder};
}

std::shared_ptr<const KernelFile> make_kernel_file(const SourceFile& source, const KernelFolders& folders) {
  Manifest manifest = parse_manifest(source.text, source.path);
  return std::make_shared<KernelFile>(
      KernelFile{source.path, expand_includes(source, folders), std::move(manifest)});
}

}  // namespace

KernelLibrary::KernelLibrary(const std::string& folder) : folders_(checked_folder(folder)) {}

NamedKernel KernelLibrary::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (names_a_file(name)) {
    auto file = load_file(name);
    return {file->manifest.name, file, {}};
  }
  if (auto file = load_name(name)) return {name, file, {}};
  return find_variant(name);
}

std::vector<std::string> KernelLibrary::names(Role role) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> result;
  for (const std::string& file_name : folders_.list()) {
    std::string name = file_name.substr(0, file_name.size() - extension.size());
    const auto file = load_name(name);  // null if the file has just been removed
    if (file && file->manifest.role == role) result.push_back(std::move(name));
  }
  return result;
}

std::shared_ptr<const KernelFile> KernelLibrary::load_file(const std::string& path) {
  auto& file = loaded_[path];
  std::error_code ignored;
  if (!file && !std::filesystem::exists(path, ignored)) {
    throw Error(ErrorCode::kernel_not_found, fmt::format("there is no kernel file '{}'", path));
  }
  if (!file) file = make_kernel_file(read_source(path), folders_);
  return file;
}

std::shared_ptr<const KernelFile> KernelLibrary::load_name(const std::string& name) {
  if (const auto found = loaded_.find(name); found != loaded_.end()) return found->second;
  const std::optional<SourceFile> source = folders_.find_kernel(name + std::string(extension));
  if (!source) return nullptr;
  auto file = make_kernel_file(*source, folders_);
  if (file->manifest.name != name) {
    throw Error(ErrorCode::invalid_kernel_file,
                fmt::format("{}:1: '{}': the name must be that of the file: expected '// clgemm: {}'",
                            source->path, file->manifest.name, name));
  }
  return loaded_[name] = file;
}

NamedKernel KernelLibrary::find_variant(const std::string& variant) {
  std::vector<std::string> known;
  std::string broken;
  for (const std::string& file_name : folders_.list()) {
    std::shared_ptr<const KernelFile> file;
    try {
      file = load_name(file_name.substr(0, file_name.size() - extension.size()));
    } catch (const Error& error) {
      broken += fmt::format("; not readable: {}", error.what());  // this is no reason to hide the others
      continue;
    }
    if (!file || file->manifest.role != Role::gemm) continue;
    if (const Manifest::Variant* found = file->manifest.find_variant(variant))
      return {variant, file, found->values};
    known.push_back(file->manifest.name);
    for (const Manifest::Variant& other : file->manifest.variants) known.push_back(other.name);
  }
  const std::string meant = did_you_mean(variant, known);
  throw Error(ErrorCode::kernel_not_found,
              fmt::format("there is no kernel '{}'{} The kernels are {}; a path must end in .cl{}", variant,
                          meant.empty() ? "." : meant, fmt::join(known, ", "), broken));
}

std::vector<Config> built_in_configs(std::vector<Manifest::Values> Manifest::*list) {
  static const auto& manifests = *new std::vector<Manifest>([] {
    std::vector<Manifest> result;
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.path.find('/') == std::string_view::npos)
        result.push_back(parse_manifest(file.text, std::string(file.path)));
    }
    return result;
  }());
  std::vector<Config> result;
  for (const Manifest& manifest : manifests) {
    for (const auto& [values, line] : manifest.*list) result.push_back({manifest.name, values});
  }
  return result;
}

std::string kernel_folder_or_default(const std::string& folder) {
  if (!folder.empty()) return folder;
  // The environment comes first: checking the rights of the process takes four system calls, and every GEMM
  // comes here.
  std::string named = environment("CLGEMM_KERNEL_DIR");
  return named.empty() || runs_with_foreign_rights() ? std::string{} : named;
}

}  // namespace clgemm
