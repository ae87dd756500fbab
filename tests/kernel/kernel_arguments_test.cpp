// The arguments of the kernel functions: the kernels that ship declare the names and types that launch/ sets.
#include "kernel/kernel_arguments.hpp"

#include <fmt/format.h>

#include <regex>
#include <set>

#include "kernel/contract.hpp"
#include "kernel/kernel_file.hpp"
#include "support/catch.hpp"

namespace clgemm {
namespace {

// Returns the arguments of a kernel's function as its file declares them. Lists of common/arguments.cl
// replace their names.
std::vector<std::string> declared_in(const KernelFile& file) {
  std::string text = std::regex_replace(without_comments(file.source), std::regex(R"(\\\n)"), " ");
  const std::string function = contract_of(file.manifest.role).function;
  std::smatch found;
  REQUIRE(std::regex_search(text, found, std::regex("void\\s+" + function + R"(\s*\(([^)]*)\))")));
  std::string arguments = found[1];
  const std::regex list(R"(\w+_ARGUMENTS)");
  while (std::regex_search(arguments, found, list)) {
    const std::string name = found[0];
    std::smatch definition;
    REQUIRE(std::regex_search(text, definition, std::regex("#define " + name + " ([^\n]*)")));
    arguments.replace(static_cast<std::size_t>(found.position()), name.size(), definition[1]);
  }
  const std::regex comma(R"(\s*,\s*)");
  return {std::sregex_token_iterator(arguments.begin(), arguments.end(), comma, -1), {}};
}

TEST_CASE("the kernels that ship declare the arguments that are set") {
  KernelLibrary library;
  std::set<std::size_t> lengths;
  for (const Role role :
       {Role::gemm, Role::fallback, Role::pack, Role::pack_both, Role::scale, Role::reduce}) {
    for (const std::string& name : library.names(role)) {
      INFO(name);
      const KernelFile& file = *library.find(name).file;
      const std::vector<std::string> declared = declared_in(file);
      REQUIRE(declared.size() == number_of_arguments(file.manifest));
      lengths.insert(declared.size());
      std::size_t at = 0;
      for (const auto& group : arguments_of(file.manifest)) {
        for (const KernelArgument& argument : group) {
          const bool is_memory = std::string(argument.type()) == "__global pointer";
          const std::string wanted =
              is_memory
                  ? fmt::format(R"(\s*__global (const )?\w+\* ((restrict|RESTRICT) )?{}\s*)", argument.name)
                  : fmt::format(R"(\s*const {} {}\s*)", argument.type(), argument.name);
          INFO(declared[at]);
          CHECK(std::regex_match(declared[at++], std::regex(wanted)));
        }
      }
    }
  }
  CHECK(lengths == std::set<std::size_t>{7, 12, 17, 19, 22, 23, 25, 26, 32});
}

}  // namespace
}  // namespace clgemm
