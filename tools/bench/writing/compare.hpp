// `--compare OLD.json ... NEW.json`: what got faster or slower beyond the noise.
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

// `only_new` and `missing`: the newest file alone has the row, or does not have it.
enum class Verdict { same, faster, slower, fails, not_comparable, only_new, missing };

// "same", "faster", "SLOWER"
const char* to_string(Verdict verdict);

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

// Compares a kernel before and after a change. `change_of_peers` is how much longer the peers take, or 0 if
// there are none.
Comparison compare_kernels(const ComparedKernel& before, const ComparedKernel& after,
                           double change_of_peers = 0.0);

struct ComparedFiles {
  // A kernel at a shape: the oldest file that has it beside the newest one.
  struct Row : Comparison {
    std::vector<std::optional<double>> median_ms;  // one for each file; empty if it has none
    std::size_t since = 0;                         // the first file since which the verdict is this one
  };
  std::vector<std::string> files;
  std::vector<std::string> busy_files;  // other programs kept the machine busy during their runs
  std::vector<Row> rows;                // in the order of their first occurrence
  std::string nothing_in_common;        // the reason if no two files have the same row
};

// `files` are the names, and `runs` the results in the same order, the oldest first. Matches results by
// device, kernel, shape, transposes, layout, alpha and beta, and by the kernel's parameters if it was named.
ComparedFiles compare(const std::vector<std::string>& files, const std::vector<std::vector<Results>>& runs);

// Returns true if a result is slower, has become wrong, does not run any more, or is missing.
bool got_worse(const ComparedFiles& compared);

// Writes the table, the changes, and the rule. The format is text, Markdown for a comment in CI, or JSON.
void write_comparison(std::ostream& out, const ComparedFiles& compared, Format format = Format::table);

}  // namespace clgemm::bench
