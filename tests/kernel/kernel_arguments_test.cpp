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

// Returns the arguments of the contract as patterns.
std::vector<std::string> wanted_of(const Manifest& manifest, Passing passing) {
  std::vector<std::string> wanted;
  for (const auto& group : arguments_of(manifest)) {
    for (const KernelArgument& argument : group) {
      if (!argument.is_number()) {
        wanted.push_back(
            fmt::format(R"(__global (const )?\w+\* ((restrict|RESTRICT) )?{}\s*)", argument.name));
      } else if (passing == Passing::one_by_one) {
        wanted.push_back(fmt::format("const {} {}", argument.type(), argument.name));
      }
    }
  }
  if (passing == Passing::as_struct) wanted.emplace_back("const Numbers numbers");
  return wanted;
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
      const bool is_plain = name == "naive" || role == Role::pack_both;
      const Passing passing = is_plain ? Passing::one_by_one : Passing::as_struct;
      const std::vector<std::string> wanted = wanted_of(file.manifest, passing);
      REQUIRE(wanted.size() == number_of_arguments(file.manifest, passing));
      REQUIRE(declared.size() == wanted.size());
      lengths.insert(declared.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        INFO(declared[i]);
        CHECK(std::regex_match(declared[i], std::regex(R"(\s*)" + wanted[i])));
      }
    }
  }
  CHECK(lengths == std::set<std::size_t>{2, 3, 4, 5, 6, 7, 8, 17, 26});
}

}  // namespace
}  // namespace clgemm
