// The ladder as a table: each step beside the first and the one before.
#include <fmt/format.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "common/text_table.hpp"
#include "kernel/kernel_config.hpp"
#include "writing/output.hpp"

namespace clgemm::bench {
namespace {

// The speed-up that the best known tutorial of this ladder shows for its own steps.
constexpr const char* published = "Published by others, on a GTX 1080: 24 x, from 44 to 1067 GFLOPS.";

std::string factor_or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string ratio_or_dash(const std::optional<CheckResult>& check) {
  return check ? format_figure(check->error_ratio) : "-";
}

void add_host_loop(TextTable& table, const Results& results, const SizeResult& size,
                   const HostLoopResult& loop) {
  if (!loop.reason.empty()) {
    table.add_remark(loop.title, loop.reason);
    return;
  }
  table.add_row({loop.title, "one thread", format_figure(loop.ms), "-", "-",
                 format_figure(operations(size.size()) / (loop.ms * 1e6)), ratio_or_dash(loop.check),
                 check_mark(results, loop.check && loop.check->passed)});
}

class LadderTable {
 public:
  LadderTable(const Results& results, const SizeResult& size)
      : results_(results),
        size_(size),
        table_({{"step", Align::left},
                {"parameters", Align::left, 5},
                {"time ms"},
                {"x first", Align::right, 1},
                {"x previous", Align::right, 3},
                {"GFLOPS"},
                {"error ratio", Align::right, 4},
                {"check"}}) {}

  void add_loops() {
    for (const HostLoopResult& loop : results_.host_loops) add_host_loop(table_, results_, size_, loop);
  }

  void add_steps() {
    for (const KernelResult& kernel : size_.kernels) {
      if (!kernel.measurement) {
        table_.add_remark(kernel.kernel, fmt::format("{}: {}", outcome_name(kernel.outcome), kernel.reason));
        continue;
      }
      if (!first_) first_ = kernel.measurement;
      add(kernel.kernel, describe_values(kernel.parameters), *kernel.measurement,
          factor_or_dash(speed_up(previous_, kernel.measurement)), kernel.passed());
      previous_ = kernel.measurement;
    }
  }

  void add_peers() {
    for (const PeerResult& peer : size_.peers) {
      if (peer.measurement) {
        add(peer.title, peer.version, *peer.measurement, "-",
            peer.measurement->check && peer.measurement->check->passed);
      } else {
        table_.add_remark(peer.title, "did not run: " + peer.reason);
      }
    }
  }

  void print(std::ostream& out) const { table_.print(out); }

 private:
  void add(const std::string& name, const std::string& parameters, const Measurement& measured,
           const std::string& x_previous, bool passed) {
    table_.add_row({name, parameters, format_figure(measured.median_ms),
                    factor_or_dash(speed_up(first_, measured)), x_previous,
                    format_figure(measured.gflops(size_.size())), ratio_or_dash(measured.check),
                    check_mark(results_, passed)});
  }

  const Results& results_;
  const SizeResult& size_;
  TextTable table_;
  std::optional<Measurement> first_;
  std::optional<Measurement> previous_;
};

const KernelResult* fastest(const SizeResult& size) {
  const KernelResult* best = nullptr;
  for (const KernelResult& kernel : size.kernels) {
    if (!kernel.measurement) continue;
    if (best == nullptr || kernel.measurement->median_ms < best->measurement->median_ms) best = &kernel;
  }
  return best;
}

void write_closing(std::ostream& out, const Results& results, const SizeResult& size) {
  const auto first = std::find_if(size.kernels.begin(), size.kernels.end(),
                                  [](const KernelResult& kernel) { return kernel.measurement.has_value(); });
  if (first == size.kernels.end()) return;
  std::size_t fewest = results.wanted_runs;
  for (const KernelResult& kernel : size.kernels) {
    if (kernel.measurement) fewest = std::min(fewest, kernel.measurement->runs);
  }
  const std::string runs = fewest == results.wanted_runs
                               ? fmt::format("{} runs", results.wanted_runs)
                               : fmt::format("{} to {} runs, as many as fit in {} s", fewest,
                                             results.wanted_runs, results.max_seconds);
  out << fmt::format("Time: the median of {}, packing included. x first: against {}.\n", runs, first->kernel);
  const KernelResult* best = fastest(size);
  if (const auto ratio = speed_up(size.naive, best->measurement)) {
    out << fmt::format("\nbest / naive: {:.1f} x ({}, from {} to {} GFLOPS).\n{}\n", *ratio, best->kernel,
                       format_figure(size.naive->gflops(size.size())),
                       format_figure(best->measurement->gflops(size.size())), published);
  }
}

}  // namespace

void write_ladder_table(std::ostream& out, const Results& results) {
  out << "Device: " << describe_device(results.device) << '\n';
  for (const SizeResult& size : results.sizes) {
    out << describe_call(size.call) << "\n\n";
    LadderTable table(results, size);
    table.add_loops();
    table.add_steps();
    table.add_peers();
    table.print(out);
    out << '\n';
    write_notes(out, results, size);
    write_closing(out, results, size);
  }
}

}  // namespace clgemm::bench
