// Runs this program again, with other arguments and a changed environment.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace clgemm::bench {

// A process that runs, and the ends of the pipes to it. Whoever has it closes them and waits for it.
struct Child {
  pid_t process = -1;
  int to = -1;    // its standard input
  int from = -1;  // its standard output
};

enum class Complaints { shown, dropped };  // what it writes to standard error

// Throws std::runtime_error where it cannot be started.
Child start_self(const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment, Complaints complaints);

// Waits for its end; its status as of waitpid().
int wait_for(const Child& child);

// How a child ended, as of waitpid(), and what it wrote to standard output.
struct Ended {
  int status;
  std::string out;
};
Ended run_self_to_end(const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment, Complaints complaints);

// What a child wrote to standard output. Throws std::runtime_error where it does not end with 0.
std::string run_self(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment);

}  // namespace clgemm::bench
