// Results as text, in each format, to where the options want them.
#pragma once

#include <ostream>
#include <sstream>
#include <string>

#include "command_line/options.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

void write_table(std::ostream& out, const Results& results);         // for people
void write_ladder_table(std::ostream& out, const Results& results);  // the same for the ladder
void write_list_table(std::ostream& out, const Results& results);    // the same for a long list of shapes
void write_csv(std::ostream& out, const Results& results);           // a line a kernel and shape

// The results in the format of the options.
void write_results(std::ostream& out, const BenchOptions& options, const Results& results);

// Flushes standard output. Throws std::runtime_error where not all that was printed went there.
void finish_standard_output();

// What --output names (common/whole_file.hpp), else standard output.
class Output {
 public:
  // Empty: standard output. Throws UsageError where nothing can be written there, before the work, and
  // changes nothing.
  explicit Output(const std::string& path);

  std::ostream& stream();

  // To be called at the end. Throws std::runtime_error where not everything could be written.
  void finish();

 private:
  std::string path_;
  std::ostringstream text_;
};

}  // namespace clgemm::bench
