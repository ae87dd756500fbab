// A program as people run it: its exit status and what it wrote.
#pragma once

#include <string>

namespace clgemm::test {

struct Finished {
  int status;  // -1 where it did not end by itself
  std::string out;
  std::string err;
};

// `command` is for the shell.
Finished run_program(const std::string& command);

std::string text_of_file(const std::string& path);

}  // namespace clgemm::test
