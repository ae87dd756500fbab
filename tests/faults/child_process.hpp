// Another program that answers line by line.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clgemm::test {

class ChildProcess {
 public:
  // Variables are added to those of this process.
  ChildProcess(const std::vector<std::string>& command,
               const std::vector<std::pair<std::string, std::string>>& variables);
  ~ChildProcess();  // ends it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Its answer to the line, without the end of the line. Nothing if it has ended, or takes longer; then it is
  // over, and end() says how.
  std::optional<std::string> ask(const std::string& line, std::chrono::seconds patience);

  // What it has in the machine's memory.
  std::size_t resident_bytes() const;

  // How it ended: "exit status 1", "signal 11", "no answer in 60 s".
  std::string end();

 private:
  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string read_;
  std::string late_;
};

}  // namespace clgemm::test
