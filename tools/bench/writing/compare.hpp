// `--compare OLD.json NEW.json`: what got faster or slower beyond the noise.
//
// A kernel is slower, or faster, where its minimum and its median both changed by more than the noise in the
// same direction. The minimum tells of the kernel, for whatever disturbs a run makes it longer; the median
// keeps one lucky run from deciding. The noise is the largest of
//   - 3 % and 20 % / runs: clocks and the placement of data differ from process to process, and few runs say
//   little;
//   - how far the changes of the median and of the minimum are apart: what happened to the kernel happened to
//   both;
//   - what medians of such runs may well differ by: sqrt(s1^2 / runs1 + s2^2 / runs2), where s is (median -
//     minimum) / median of each file;
//   - the change of the peers of the same version at the same shape, where it has the direction of the
//   kernel's:
//     nobody changed those, so the machine did.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "command_line/options.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

enum class Verdict { same, faster, slower, fails, not_comparable };

struct ComparedKernel {
  std::string title;  // see KernelResult
  std::string shape;
  Figures figures;
};

struct Comparison {
  ComparedKernel before;
  ComparedKernel after;
  double median_change = 0.0;  // 0.1: ten percent longer
  double min_change = 0.0;
  double noise = 0.0;
  Verdict verdict = Verdict::same;
};

struct ComparedFiles {
  std::vector<Comparison> rows;  // those in both, in the order of the new file
  std::vector<ComparedKernel> only_before;
  std::size_t only_after = 0;
  std::string nothing_in_common;  // why, where no row is in both
  bool before_was_busy = false;   // with other programs
  bool after_was_busy = false;
};

// A kernel before and after a change. `change_of_peers` is how much longer they take, 0 where there are none.
Comparison compare_kernels(const ComparedKernel& before, const ComparedKernel& after,
                           double change_of_peers = 0.0);

// Results belong together by device, kernel, its parameters where it was named, shape, transposes, layout,
// alpha and beta.
ComparedFiles compare(const std::vector<Results>& before, const std::vector<Results>& after);

// Something is slower, was right and is wrong or does not run any more, or is missing.
bool got_worse(const ComparedFiles& compared);

// Of three files and more: what every file has of a kernel at a shape, and how the newest one stands beside
// the oldest that has it.
struct History {
  struct Row {
    std::string title;
    std::string shape;
    std::vector<std::optional<double>> median_ms;  // one for each file; empty if it has none
    Verdict verdict = Verdict::same;
    double median_change = 0.0;
    std::size_t since = 0;    // the file from which on the verdict is this one
    bool is_missing = false;  // in the newest file, which is worse whatever the verdict
  };
  std::vector<std::string> files;
  std::vector<Row> rows;  // in the order in which the files have them first
};

// `files` are the names, and `runs` the results in the same order, the oldest first.
History history_of(const std::vector<std::string>& files, const std::vector<std::vector<Results>>& runs);
bool got_worse(const History& history);
void write_history(std::ostream& out, const History& history, Format format = Format::table);

// The table, what changed, and the rule; as Markdown for a comment of CI, or as JSON.
void write_comparison(std::ostream& out, const ComparedFiles& compared, Format format = Format::table);

}  // namespace clgemm::bench
