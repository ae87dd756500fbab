// src/choose must not know any kernel, because the kernel's manifest has everything that it needs.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "base/words.hpp"
#include "kernel/kernel_file.hpp"
#include "support/catch.hpp"

namespace clgemm {
namespace {

struct Names {
  std::set<std::string> kernels;     // and their variants
  std::set<std::string> parameters;  // "BM"
};

Names names_of_built_in_kernels() {
  Names result;
  KernelLibrary library;
  for (const Role role :
       {Role::gemm, Role::fallback, Role::pack, Role::pack_both, Role::scale, Role::reduce}) {
    for (const std::string& name : library.names(role)) {
      const Manifest& manifest = library.find(name).file->manifest;
      result.kernels.insert(name);
      for (const auto& variant : manifest.variants) result.kernels.insert(variant.name);
      for (const auto& parameter : manifest.parameters) result.parameters.insert(parameter.name);
    }
  }
  return result;
}

// Some kernels have ordinary words as names, such as `vector` and `small`. These count only in quotes.
bool is_named(const std::string& kernel, const std::string& line) {
  const bool is_plain_word = kernel.find_first_of("_0123456789") == std::string::npos;
  if (!is_plain_word) return has_word(line, kernel);
  return line.find('"' + kernel + '"') != std::string::npos ||
         line.find('`' + kernel + '`') != std::string::npos;
}

std::set<std::string> found_in(const std::string& line, const Names& names) {
  std::set<std::string> result;
  for (const std::string& kernel : names.kernels) {
    if (is_named(kernel, line)) result.insert(kernel);
  }
  for (const std::string& parameter : names.parameters) {
    if (has_word(line, parameter)) result.insert(parameter);
  }
  return result;
}

TEST_CASE("src/choose names no kernel and no parameter of a kernel") {
  const Names names = names_of_built_in_kernels();
  CHECK(found_in("return {\"coalesced\", {{\"ROWS\", 1}}};", names) ==
        std::set<std::string>{"coalesced", "ROWS"});
  CHECK(found_in("// on an H200 block_2d took", names) == std::set<std::string>{"block_2d"});
  CHECK(found_in("std::vector<int> small;  // direct, NCX", names).empty());
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CLGEMM_SOURCE "/src/choose")) {
    ++files;
    std::ifstream text(entry.path());
    int number = 0;
    for (std::string line; std::getline(text, line);) {
      INFO(entry.path().filename().string() << ":" << ++number << ": " << line);
      CHECK(found_in(line, names) == std::set<std::string>{});
    }
  }
  CHECK(files >= 10);
}

}  // namespace
}  // namespace clgemm
