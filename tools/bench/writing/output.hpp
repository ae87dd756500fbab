// Results as text, in each format.
#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "command_line/options.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

void write_table(std::ostream& out, const Results& results);         // for people
void write_ladder_table(std::ostream& out, const Results& results);  // the same for the ladder
void write_json(std::ostream& out, const Results& results);  // an array with an object a kernel and size
void write_csv(std::ostream& out, const Results& results);   // a line a kernel and size

// To the file, or to standard output, that the options name, in their format.
class ReportTarget {
 public:
  // Opens the file, so that an unwritable one is known before the work. Throws UsageError.
  explicit ReportTarget(const BenchOptions& options);
  ~ReportTarget();
  ReportTarget(const ReportTarget&) = delete;
  ReportTarget& operator=(const ReportTarget&) = delete;

  // Throws std::runtime_error where not everything could be written.
  void write(const Results& results);

 private:
  const BenchOptions& options_;
  std::unique_ptr<std::ostream> file_;  // null for standard output
};

// What both tables have in common.
std::string describe_device(const Device& device);
std::string describe_call(const SgemmCall& call);
std::string check_mark(const Results& results, bool passed);
std::string outcome_name(Outcome outcome);
void write_notes(std::ostream& out, const Results& results, const SizeResult& size);

}  // namespace clgemm::bench
