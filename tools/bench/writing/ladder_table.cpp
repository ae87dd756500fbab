// The ladder as a table that compares each step with the first and the previous one.
#include <fmt/format.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "common/text_table.hpp"
#include "kernel/kernel_config.hpp"
#include "writing/output.hpp"
#include "writing/table_parts.hpp"

namespace clgemm::bench {
namespace {

// The speed-up that the best-known tutorial of this ladder shows for its own steps.
constexpr const char* published = "Published by others, on a GTX 1080: 24 x, from 44 to 1067 GFLOPS.";

class LadderTable {
 public:
  explicit LadderTable(const ShapeResult& shape)
      : shape_(shape),
        table_({{"step", Align::left},
                {"parameters", Align::left, 5},
                {"time ms"},
                {"+-", Align::right, 2},
                {"x first", Align::right, 1},
                {"x previous", Align::right, 3},
                {"GFLOPS"},
                {"error ratio", Align::right, 4},
                {"check"}}) {}

  void add_loop(const HostLoopResult& loop) {
    if (loop.figures.measured()) {
      add(loop.title, "one thread", loop.figures, {});
    } else {
      table_.add_remark(loop.title, loop.figures.reason);
    }
  }

  void add_step(const KernelResult& kernel) {
    const Figures& figures = kernel.figures;
    if (!figures.measured()) {
      add_unmeasured(table_, kernel);
      return;
    }
    if (!first_.measured()) first_ = figures;
    add(kernel.kernel, describe_values(kernel.parameters), figures, shape_.speed_up(previous_, figures));
    previous_ = figures;
  }

  void add_peer(const PeerResult& peer) {
    if (peer.figures.measured()) {
      add(peer_title(peer.name), peer.version, peer.figures, {});
    } else {
      add_unmeasured(table_, peer);
    }
  }

  void print(std::ostream& out) const { table_.print(out); }

 private:
  void add(const std::string& name, const std::string& parameters, const Figures& figures,
           const std::optional<double>& x_previous) {
    const std::optional<Time> time = shape_.time(figures);
    table_.add_row({name, parameters, time ? format_figure(time->ms) : "-", plus_minus(shape_, figures),
                    factor_or_dash(shape_.speed_up(first_, figures)), factor_or_dash(x_previous),
                    figure_or_dash(shape_.rate(figures)), figure_or_dash(figures.error_ratio),
                    check_mark(figures)});
  }

  const ShapeResult& shape_;
  TextTable table_;
  Figures first_;
  Figures previous_;
};

std::string how_many_runs(const Results& results, const ShapeResult& shape) {
  std::size_t fewest = results.wanted_runs;
  for (const KernelResult& kernel : shape.kernels) {
    if (kernel.figures.measured()) fewest = std::min(fewest, kernel.figures.runs);
  }
  if (fewest == results.wanted_runs) return fewest == 1 ? "1 run" : fmt::format("{} runs", fewest);
  return fmt::format("{} to {} runs, as many as fit in {} s", fewest, results.wanted_runs,
                     results.max_seconds);
}

void write_closing(std::ostream& out, const Results& results, const ShapeResult& shape) {
  const auto first = std::find_if(shape.kernels.begin(), shape.kernels.end(),
                                  [](const KernelResult& kernel) { return kernel.figures.measured(); });
  if (first == shape.kernels.end()) return;
  out << fmt::format("Time: the median of {}, packing included, {}. x first: against {}.\n",
                     how_many_runs(results, shape), clock_in_words(shape), first->kernel);
  const KernelResult& best = *shape.own();
  out << meaning_of_plus_minus;
  if (const auto ratio = shape.speed_up(shape.naive, best.figures)) {
    out << fmt::format("\nbest / naive: {:.1f} x ({}, from {} to {} GFLOPS).\n{}\n", *ratio, best.kernel,
                       figure_or_dash(shape.rate(shape.naive)), figure_or_dash(shape.rate(best.figures)),
                       published);
  }
}

}  // namespace

void write_ladder_table(std::ostream& out, const Results& results) {
  out << "Device: " << describe_device(results.facts) << '\n';
  for (const ShapeResult& shape : results.shapes) {
    out << describe_call(shape) << "\n\n";
    LadderTable table(shape);
    for (const HostLoopResult& loop : results.host_loops) table.add_loop(loop);
    for (const KernelResult& kernel : shape.kernels) table.add_step(kernel);
    for (const PeerResult& peer : shape.peers) table.add_peer(peer);
    table.print(out);
    out << '\n';
    write_notes(out, results, shape);
    write_closing(out, results, shape);
  }
  write_troubles(out, results);
}

}  // namespace clgemm::bench
