// Kernel files ready for use: source with its includes, and the parsed manifest.
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
  std::string path;    // as messages name it
  std::string source;  // includes put in
  Manifest manifest;
};

// A kernel that was asked for by name: its file, and the parameters that a variant's name stands for.
struct NamedKernel {
  std::string name;
  std::shared_ptr<const KernelFile> file;
  Parameters variant_values;
};

// Finds kernels by name and reads each file once. Any number of threads may use one.
class KernelLibrary {
 public:
  // `folder` is looked in before the embedded kernels; empty for none. Throws where it is not a folder.
  explicit KernelLibrary(const std::string& folder = {});

  // `name`: a kernel ("tiled"), a variant ("float8") or a file ("mine.cl", "./mine.cl"). Throws
  // Error(kernel_not_found) that lists what there is, or Error(invalid_kernel_file).
  NamedKernel find(const std::string& name);

  // The names of all kernels with this role: plain names, sorted. Variants are in their manifests.
  std::vector<std::string> names(Role role);

 private:
  std::shared_ptr<const KernelFile> load_file(const std::string& path);
  std::shared_ptr<const KernelFile> load_name(const std::string& name);  // null where there is none
  NamedKernel find_variant(const std::string& variant);

  KernelFolders folders_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const KernelFile>> loaded_;  // by name, or by path
};

// The configs that the manifests of the built-in kernels list under one key, in the order of the kernels'
// names. What a user's folder replaces does not count here.
std::vector<Config> built_in_configs(std::vector<Manifest::Values> Manifest::*list);

// Options::kernel_folder, or else the environment variable CLGEMM_KERNEL_DIR, which a setuid program does not
// take: kernels are programs.
std::string kernel_folder_or_default(const std::string& folder);

}  // namespace clgemm
