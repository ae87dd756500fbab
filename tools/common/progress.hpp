// One line on the terminal that says how far a long run is. Nothing where standard error is no terminal.
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
  void clear();  // for other output; the next show() brings the line back

 private:
  bool on_terminal_;
};

}  // namespace clgemm::bench
