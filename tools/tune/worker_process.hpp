// The process that builds and runs configs, seen from the one that searches: a config may hang, crash the
// compiler or the driver, and costs no more than its time limit then.
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
  // `arguments` for this same program. It is started with the first request.
  explicit WorkerProcess(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  struct Answer {
    std::optional<std::string> line;  // none where the worker did not answer; a new one is started next time
    std::string failure;              // why not: "no result within 20 s", "ended by signal 11"
    bool interrupted = false;         // Ctrl-C: the question stays open
  };
  // One line of text to the worker, and its line in return.
  Answer ask(const std::string& line, double limit_s);

  // Kills it, and the next request starts a new one; how it had ended, in words.
  std::string stop();

 private:
  void start();

  std::vector<std::string> arguments_;
  std::optional<ChildProcess> child_;
  std::string read_;  // what came behind the last line
};

// Asks as many workers at once as there are cores, and 16 at most: some drivers compile one program at a time
// in a process, however many threads ask (NVIDIA's). Calls `answered` with the index of each question and its
// answer, one at a time, in the order of the answers. After it returns false, or after Ctrl-C, what is not
// asked yet stays open.
void ask_in_processes(const std::vector<std::string>& arguments, const std::vector<std::string>& questions,
                      double limit_s,
                      const std::function<bool(std::size_t, const WorkerProcess::Answer&)>& answered);

// The other side: this process as a worker. It ends when the one that asks has ended.
class AnsweringProcess {
 public:
  // From here on what drivers print does not get among the answers.
  AnsweringProcess();

  // Answers each line of standard input by one line, to the end of the input.
  void run(const std::function<std::string(const std::string&)>& answer);

 private:
  File answers_;
};

}  // namespace clgemm::tune
