#include "public_names.hpp"

#include <cstdio>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "paths.hpp"

namespace clgemm::test {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string without_comments_and_attributes(const std::string& text) {
  return std::regex_replace(text, std::regex("(//|#)[^\n]*|\\[\\[[^\n]*\\]\\]"), "");
}

// Returns the type of the first parameter, without qualifiers.
std::string first_type(const std::string& parameters) {
  std::smatch found;
  const std::regex type(R"(^\s*(?:const\s+)?(?:std::)?(\w+))");
  return std::regex_search(parameters, found, type) ? found[1].str() : "";
}

// `declaration` ends before its semicolon. If it declares no function, nothing is added.
void add_function(const std::string& scope, const std::string& declaration, std::set<std::string>& names) {
  std::smatch found;
  if (!std::regex_search(declaration, found, std::regex(R"((operator=|~?\w+)\s*\(([^]*))"))) return;
  names.insert(scope + found[1].str() + "(" + first_type(found[2].str()) + ")");
}

}  // namespace

std::set<std::string> functions_of_header(const std::string& header) {
  struct Scope {
    std::string prefix;  // "Context::"
    bool has_functions;
    bool is_public;
  };
  std::set<std::string> names;
  std::vector<Scope> scopes = {{"", true, true}};
  std::string statement;
  int parentheses = 0;
  for (const char letter : without_comments_and_attributes(header)) {
    if (letter == '(') ++parentheses;
    if (letter == ')') --parentheses;
    if (parentheses == 0 && letter == '{') {
      std::smatch found;
      const bool is_namespace = std::regex_search(statement, std::regex(R"(\bnamespace\b)"));
      const bool is_class =
          std::regex_search(statement, found, std::regex(R"(\bclass\s+CLGEMM_API\s+(\w+))"));
      if (is_class) {
        scopes.push_back({found[1].str() + "::", true, false});
      } else {
        scopes.push_back({"", is_namespace, is_namespace});
      }
      statement.clear();
    } else if (parentheses == 0 && letter == '}') {
      scopes.pop_back();
      statement.clear();
    } else if (parentheses == 0 && letter == ';') {
      const Scope& scope = scopes.back();
      if (scope.has_functions && scope.is_public) add_function(scope.prefix, statement, names);
      statement.clear();
    } else if (parentheses == 0 && letter == ':' &&
               std::regex_search(statement, std::regex(R"(\b(public|private|protected)\s*$)"))) {
      scopes.back().is_public = statement.find("public") != std::string::npos;
      statement.clear();
    } else {
      statement += letter;
    }
  }
  return names;
}

std::set<std::string> functions_of_drop_in(const std::string& text) {
  std::set<std::string> names;
  const std::regex function(R"(CLGEMM_BLAS_API\s+void\s+(\w+)\()");
  for (auto found = std::sregex_iterator(text.begin(), text.end(), function); found != std::sregex_iterator();
       ++found)
    names.insert((*found)[1].str());
  return names;
}

bool all_functions_are_covered(const std::string& source_folder) {
  std::set<std::string> there = functions_of_header(text_of(source_folder + "/include/clgemm/clgemm.hpp"));
#ifdef CLGEMM_BLAS_LIBRARY
  there.merge(functions_of_drop_in(text_of(source_folder + "/src/blas/entry_points.cpp")));
#endif
  std::set<std::string> spoken_of;
  for (const Path& path : all_paths()) spoken_of.insert(path.covers.begin(), path.covers.end());
  for (const NotCovered& one : not_covered()) spoken_of.insert(one.name);
  bool all = !there.empty();
  for (const std::string& name : there) {
    if (spoken_of.count(name) != 0) continue;
    std::printf("no path of the fault sweep covers %s: add one in tests/faults/paths.cpp\n", name.c_str());
    all = false;
  }
  for (const std::string& name : spoken_of) {
    if (there.count(name) != 0) continue;
    std::printf("the fault sweep covers %s, and there is no such function\n", name.c_str());
    all = false;
  }
  std::printf("%zu public functions: paths cover %zu, %zu need no device\n", there.size(),
              spoken_of.size() - not_covered().size(), not_covered().size());
  return all;
}

}  // namespace clgemm::test
