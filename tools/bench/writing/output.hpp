// Writes results as text, in the format and to the destination of the options.
#pragma once

#include <ostream>
#include <sstream>
#include <string>

#include "command_line/options.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

void write_table(std::ostream& out, const Results& results);         // for reading
void write_ladder_table(std::ostream& out, const Results& results);  // the same for the ladder
void write_list_table(std::ostream& out, const Results& results);    // the same for a long list of shapes

// Writes the results in the format of the options.
void write_results(std::ostream& out, const BenchOptions& options, const Results& results);

// Flushes standard output. Throws std::runtime_error if some of the output was lost.
void finish_standard_output();

// The file that --output names (common/whole_file.hpp), or standard output.
class Output {
 public:
  // If `path` is empty, this is standard output. Throws UsageError if the file cannot be written. This is
  // checked before the work, and changes nothing.
  explicit Output(const std::string& path);

  std::ostream& stream();

  // Must be called at the end. Throws std::runtime_error if not everything could be written.
  void finish();

 private:
  std::string path_;
  std::ostringstream text_;
};

}  // namespace clgemm::bench
