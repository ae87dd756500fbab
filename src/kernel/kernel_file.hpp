// Kernel files ready for use: the source with its includes, and the parsed manifest.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/config.hpp"
#include "kernel/kernel_source.hpp"
#include "kernel/manifest.hpp"

namespace clgemm {

struct KernelFile {
  std::string path;    // the name in messages
  std::string source;  // with all includes inserted
  Manifest manifest;
};

// A kernel that was asked for by name: its file, and the parameters of the variant if the name is a variant.
struct NamedKernel {
  std::string name;
  std::shared_ptr<const KernelFile> file;
  Parameters variant_values;
};

// Finds kernels by name and reads each file once. Any number of threads may use the same library.
class KernelLibrary {
 public:
  // `folder` is searched before the embedded kernels; empty for none. Throws an Error if it is not a folder.
  explicit KernelLibrary(const std::string& folder = {});

  // `name` is a kernel ("tiled"), a variant ("float8") or a file ("mine.cl", "./mine.cl"). Throws an
  // Error(kernel_not_found) that lists the existing kernels, or Error(invalid_kernel_file).
  NamedKernel find(const std::string& name);

  // Returns the names of all kernels with this role, sorted. Variants are in their manifests.
  std::vector<std::string> names(Role role);

 private:
  std::shared_ptr<const KernelFile> load_file(const std::string& path);
  std::shared_ptr<const KernelFile> load_name(const std::string& name);  // null if there is none
  NamedKernel find_variant(const std::string& variant);

  KernelFolders folders_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const KernelFile>> loaded_;  // by name, or by path
};

// Returns the configs that the manifests of the built-in kernels list under one key, in the order of the
// kernels' names. Kernels that replace them in a user's folder are ignored here.
std::vector<Config> built_in_configs(std::vector<Manifest::Values> Manifest::*list);

// Returns Options::kernel_folder, or else the environment variable CLGEMM_KERNEL_DIR. A setuid program
// ignores the variable, because kernels are programs.
std::string kernel_folder_or_default(const std::string& folder);

}  // namespace clgemm
