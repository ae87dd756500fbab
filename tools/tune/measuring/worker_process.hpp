// The process that builds and runs configs, seen from the process that searches. A config may hang, or crash
// the compiler or the driver, and then costs no more than its time limit.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/process.hpp"

namespace clgemm::tune {

class WorkerProcess {
 public:
  // `arguments` are for this same program. It is started by the first request.
  explicit WorkerProcess(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  struct Answer {
    std::optional<std::string> line;  // empty if the worker did not answer; a new one is started next time
    std::string failure;              // the reason: "no result within 20 s", "ended by signal 11"
    bool interrupted = false;         // Ctrl-C: the question remains unanswered
  };
  // Sends one line of text to the worker, and returns its line.
  Answer ask(const std::string& line, double limit_s);

  // Kills it, so that the next request starts a new one. Returns how it ended, in words.
  std::string stop();

 private:
  void start();

  std::vector<std::string> arguments_;
  std::optional<ChildProcess> child_;
  std::string read_;  // text after the last complete line
};

// Asks as many workers at once as there are cores, but at most 16. Some drivers (NVIDIA's) compile one
// program at a time in a process, for any number of threads. Calls `answered` with the index of each question
// and its answer, one at a time, in the order of the answers. After it returns false, or after Ctrl-C, no
// more questions are asked.
void ask_in_processes(const std::vector<std::string>& arguments, const std::vector<std::string>& questions,
                      double limit_s,
                      const std::function<bool(std::size_t, const WorkerProcess::Answer&)>& answered);

// The other side: this process as a worker. It ends when its parent has ended.
class AnsweringProcess {
 public:
  // From here on, the output of drivers is kept out of the answers.
  AnsweringProcess();

  // Answers each line of standard input with one line, until the input ends.
  void run(const std::function<std::string(const std::string&)>& answer);

 private:
  File answers_;
};

}  // namespace clgemm::tune
