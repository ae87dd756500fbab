// Processes: another run of this program, which answers on its standard output, and what such a run does
// about itself. For the tools and the tests; the library starts none.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace clgemm {

// How a process ended.
struct ProcessEnd {
  enum class Kind { exited, crashed, out_of_time };  // the last one: as end_after() says
  Kind kind = Kind::exited;
  unsigned number = 0;  // the exit status; of a crash the signal, or on Windows the exception

  bool is_well() const { return kind == Kind::exited && number == 0; }
};

// "ended with status 1", "ended by signal 11", "ended by exception 0xc0000005".
std::string to_string(const ProcessEnd& end);

enum class Complaints { shown, dropped };  // what a process writes to standard error

// A process that runs this same program, with pipes to its standard input and from its standard output. The
// last owner kills it if it still runs.
class ChildProcess {
 public:
  // Starts it with these arguments, and these variables beside this process's. Throws std::runtime_error.
  ChildProcess(const std::vector<std::string>& arguments,
               const std::map<std::string, std::string>& environment, Complaints complaints);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  // Writes to its standard input. Returns false if it reads no more.
  bool write(std::string_view text);
  void close_input();

  // Waits for output, for some milliseconds at most, and appends it to `text`.
  enum class Read { some, nothing_yet, end };
  Read read(std::string& text, int milliseconds);

  // Closes the pipes. Kills the process if it does not end within some milliseconds, and says how it ended.
  ProcessEnd stop(int milliseconds);

  // Waits for its end.
  ProcessEnd wait();

 private:
  struct Insides;
  std::unique_ptr<Insides> insides_;
};

// Returns the lines that a command of the system's shell writes to standard output; none if it cannot be run.
std::vector<std::string> lines_of_command(const char* command);

// ---- Of this process ----

// Ends it when the process that started it ends. On Windows, ChildProcess sees to that.
void end_with_parent();

// Ends it after so many seconds, whatever it does.
void end_after(unsigned seconds);

// Returns standard output. What the process writes there from now on goes to standard error.
File take_standard_output();

// Lets a write to a pipe that nobody reads fail, instead of ending this process.
void survive_closed_pipes();

// ---- Ctrl-C, and other words to end ----

// Lets `note` be called instead of ending this process, as a signal handler is: it may do next to nothing.
void note_interrupts(void (*note)(int signal));
void let_interrupts_end_us();

// A clock for `note`.
long long seconds_of_monotonic_clock();

}  // namespace clgemm
