// Shows the progress of a long run in one line on the terminal. Shows nothing if standard error is not a
// terminal.
#pragma once

#include <string>

namespace clgemm::bench {

class Progress {
 public:
  Progress();
  ~Progress();  // erases the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text);
  void clear();  // makes room for other output; the next show() restores the line

 private:
  bool on_terminal_;
};

}  // namespace clgemm::bench
