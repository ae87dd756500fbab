#include "program.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "system.hpp"
#include "temporary.hpp"

namespace clgemm::test {

std::string text_of_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Finished run_program(const std::string& command) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  const std::string err = (folder.path() / "err").string();
  const int status = status_of_command(fmt::format("{} >\"{}\" 2>\"{}\"", command, out, err));
  return {status, text_of_file(out), text_of_file(err)};
}

}  // namespace clgemm::test
