// Runs a program as users do, and returns its exit status and its output.
#pragma once

#include <string>

namespace clgemm::test {

struct Finished {
  int status;  // -1 if it did not end by itself
  std::string out;
  std::string err;
};

// `command` is for the shell.
Finished run_program(const std::string& command);

std::string text_of_file(const std::string& path);

}  // namespace clgemm::test
