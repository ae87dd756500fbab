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
  // The variables are added to those of this process.
  ChildProcess(const std::vector<std::string>& command,
               const std::vector<std::pair<std::string, std::string>>& variables);
  ~ChildProcess();  // ends the program
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns the answer to the line, without the line feed. Returns nothing if the program has ended or takes
  // longer. Then it is ended, and end() says how.
  std::optional<std::string> ask(const std::string& line, std::chrono::seconds patience);

  // Returns how many bytes it has in the machine's memory.
  std::size_t resident_bytes() const;

  // Says how it ended: "exit status 1", "signal 11", "no answer in 60 s".
  std::string end();

 private:
  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string read_;
  std::string late_;
};

}  // namespace clgemm::test
