// Processes: starts this program again and reads its standard output, and settings that such a child makes
// for itself. The tools and the tests use them; the library starts no process.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace clgemm {

// The way in which a process ended.
struct ProcessEnd {
  enum class Kind { exited, crashed, out_of_time };  // the last one: see end_after()
  Kind kind = Kind::exited;
  unsigned number = 0;  // the exit status; after a crash the signal, or on Windows the exception

  bool is_well() const { return kind == Kind::exited && number == 0; }
};

// Returns "ended with status 1", "ended by signal 11" or "ended by exception 0xc0000005".
std::string to_string(const ProcessEnd& end);

enum class Complaints { shown, dropped };  // standard error of the process

// A child process that runs this same program, with pipes to its standard input and from its standard output.
// The last owner kills it if it still runs.
class ChildProcess {
 public:
  // Starts it with these arguments, and adds these variables to the environment. Throws std::runtime_error.
  ChildProcess(const std::vector<std::string>& arguments,
               const std::map<std::string, std::string>& environment, Complaints complaints);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  // Writes to its standard input. Returns false if the process no longer reads it.
  bool write(std::string_view text);
  void close_input();

  // Waits at most so many milliseconds for output and appends it to `text`.
  enum class Read { some, nothing_yet, end };
  Read read(std::string& text, int milliseconds);

  // Closes the pipes. Kills the process if it does not end within so many milliseconds. Returns how it ended.
  ProcessEnd stop(int milliseconds);

  // Waits until it ends.
  ProcessEnd wait();

 private:
  struct Insides;
  std::unique_ptr<Insides> insides_;
};

// Returns the lines that a command of the system's shell writes to standard output; none if it cannot run.
std::vector<std::string> lines_of_command(const char* command);

// ---- Settings of this process ----

// Ends this process when its parent ends. On Windows, ChildProcess does that.
void end_with_parent();

// Ends this process after so many seconds, whatever it is doing.
void end_after(unsigned seconds);

// Returns standard output. From now on, output of the process to it goes to standard error.
File take_standard_output();

// Makes a write to a closed pipe fail, instead of ending this process.
void survive_closed_pipes();

// ---- Ctrl-C and other interrupts ----

// Calls `note` instead of ending this process. It runs as a signal handler, so it may do almost nothing.
void note_interrupts(void (*note)(int signal));
void let_interrupts_end_us();

// Returns the time of a clock that `note` may read.
long long seconds_of_monotonic_clock();

}  // namespace clgemm
