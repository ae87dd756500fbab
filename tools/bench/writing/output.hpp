// Results as text, in each format, to where the options want them.
#pragma once

#include <memory>
#include <ostream>

#include "command_line/options.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

void write_table(std::ostream& out, const Results& results);         // for people
void write_ladder_table(std::ostream& out, const Results& results);  // the same for the ladder
void write_list_table(std::ostream& out, const Results& results);    // the same for a long list of shapes
void write_csv(std::ostream& out, const Results& results);           // a line a kernel and shape

// To the file, or to standard output, that the options name, in their format.
class Output {
 public:
  // Opens the file, so that an unwritable one is known before the work. Throws UsageError.
  explicit Output(const BenchOptions& options);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Throws std::runtime_error where not everything could be written.
  void write(const Results& results);

 private:
  const BenchOptions& options_;
  std::unique_ptr<std::ostream> file_;  // null for standard output
};

}  // namespace clgemm::bench
