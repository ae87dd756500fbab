// `--compare OLD.json NEW.json`: what got faster or slower beyond the noise.
//
// A kernel is slower, or faster, if its minimum and its median both changed by more than the noise in the
// same direction. The minimum shows the kernel's speed, because disturbances only make a run longer. The
// median prevents a single lucky run from deciding. The noise is the largest of
//
// - 3 % and 20 % / runs, because clocks and the placement of data differ between processes, and few runs say
//   little;
// - the difference between the changes of the median and of the minimum, because a change of the kernel
//   affects both;
// - the expected difference of such medians: sqrt(s1^2 / runs1 + s2^2 / runs2), where s is (median - minimum)
//   / median of each file;
// - the change of the peers of the same version at the same shape if it has the direction of the kernel's
//   change. The peers did not change, so the machine did.
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
  double median_change = 0.0;  // 0.1 means ten percent longer
  double min_change = 0.0;
  double noise = 0.0;
  Verdict verdict = Verdict::same;
};

struct ComparedFiles {
  std::vector<Comparison> rows;  // kernels in both files, in the order of the new one
  std::vector<ComparedKernel> only_before;
  std::size_t only_after = 0;
  std::string nothing_in_common;  // the reason if no row is in both
  bool before_was_busy = false;   // because of other programs
  bool after_was_busy = false;
};

// Compares a kernel before and after a change. `change_of_peers` is how much longer the peers take, or 0 if
// there are none.
Comparison compare_kernels(const ComparedKernel& before, const ComparedKernel& after,
                           double change_of_peers = 0.0);

// Matches results by device, kernel, shape, transposes, layout, alpha and beta, and by the kernel's
// parameters if it was named.
ComparedFiles compare(const std::vector<Results>& before, const std::vector<Results>& after);

// Returns true if a result is slower, has become wrong, does not run any more, or is missing.
bool got_worse(const ComparedFiles& compared);

// For three files or more: the times of a kernel at a shape in every file, and the comparison of the newest
// one with the oldest that has it.
struct History {
  struct Row {
    std::string title;
    std::string shape;
    std::vector<std::optional<double>> median_ms;  // one for each file; empty if it has none
    Verdict verdict = Verdict::same;
    double median_change = 0.0;
    std::size_t since = 0;    // the first file since which the verdict is this one
    bool is_missing = false;  // in the newest file, which is worse in any case
  };
  std::vector<std::string> files;
  std::vector<Row> rows;  // in the order of their first occurrence
};

// `files` are the names, and `runs` the results in the same order, the oldest first.
History history_of(const std::vector<std::string>& files, const std::vector<std::vector<Results>>& runs);
bool got_worse(const History& history);
void write_history(std::ostream& out, const History& history, Format format = Format::table);

// Writes the table, the changes, and the rule. The format is text, Markdown for a comment in CI, or JSON.
void write_comparison(std::ostream& out, const ComparedFiles& compared, Format format = Format::table);

}  // namespace clgemm::bench
