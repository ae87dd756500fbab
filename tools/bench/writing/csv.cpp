// CSV (RFC 4180): one line for every kernel and shape, with columns for each peer. A value that was not
// measured is empty.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/kernel_config.hpp"
#include "kernel/precision.hpp"
#include "writing/output.hpp"

namespace clgemm::bench {
namespace {

using Number = std::optional<double> Figures::*;

struct NumberColumn {
  const char* title;
  Number member;
};
constexpr NumberColumn before_runs[] = {{"median_ms", &Figures::median_ms},
                                        {"min_ms", &Figures::min_ms},
                                        {"p95_ms", &Figures::p95_ms},
                                        {"low_ms", &Figures::low_ms},
                                        {"high_ms", &Figures::high_ms},
                                        {"spread", &Figures::spread},
                                        {"gflops", &Figures::gflops},
                                        {"call_ms", &Figures::call_ms},
                                        {"first_call_ms", &Figures::first_call_ms}};
constexpr NumberColumn behind_runs[] = {{"error_ratio", &Figures::error_ratio},
                                        {"host_ms", &Figures::host_ms},
                                        {"cold_ms", &Figures::cold_ms},
                                        {"warm_ms", &Figures::warm_ms}};
constexpr NumberColumn of_peers[] = {
    {"median_ms", &Figures::median_ms}, {"gflops", &Figures::gflops}, {"error_ratio", &Figures::error_ratio}};

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"') result += '"';
    result += character;
  }
  return result + '"';
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

char letter(Transpose transpose) {
  return transpose == Transpose::yes ? 't' : 'n';
}

std::vector<std::string> fields_of(const Results& results, const ShapeResult& shape,
                                   const KernelResult& kernel) {
  const auto& [size, kind, label] = static_cast<const Case&>(shape);
  const Figures& figures = kernel.figures;
  std::vector<std::string> fields = {results.facts.device,
                                     kernel.kernel,
                                     describe_values(kernel.parameters),
                                     std::to_string(size.m),
                                     std::to_string(size.n),
                                     std::to_string(size.k),
                                     std::to_string(kind.batch_count),
                                     kind.layout == Layout::row_major ? "row" : "column",
                                     fmt::format("{}{}", letter(kind.transpose_a), letter(kind.transpose_b)),
                                     fmt::format("{}", kind.alpha),
                                     fmt::format("{}", kind.beta),
                                     std::to_string(kind.gap),
                                     std::string(to_string(results.precision))};
  for (const auto& [title, member] : before_runs) fields.push_back(number(figures.*member));
  fields.push_back(figures.measured() ? std::to_string(figures.runs) : "");
  for (const auto& [title, member] : behind_runs) fields.push_back(number(figures.*member));
  fields.emplace_back(!figures.passed ? "" : *figures.passed ? "true" : "false");
  fields.push_back(number(shape.speed_up(shape.naive, figures)));
  fields.push_back(number(shape.speed_up(shape.peer_figures("clblast"), figures)));
  for (const PeerResult& peer : shape.peers) {
    for (const auto& [title, member] : of_peers) fields.push_back(number(peer.figures.*member));
  }
  fields.push_back(figures.reason);
  return fields;
}

std::vector<std::string> titles_of(const Results& results) {
  std::vector<std::string> titles = {"device", "kernel",     "parameters", "m",    "n",   "k",        "batch",
                                     "layout", "transposes", "alpha",      "beta", "gap", "precision"};
  for (const auto& [title, member] : before_runs) titles.emplace_back(title);
  titles.emplace_back("runs");
  for (const auto& [title, member] : behind_runs) titles.emplace_back(title);
  titles.insert(titles.end(), {"passed", "x_naive", "x_clblast"});
  if (!results.shapes.empty()) {
    for (const PeerResult& peer : results.shapes.front().peers) {
      for (const auto& [title, member] : of_peers) titles.push_back(fmt::format("{}_{}", peer.name, title));
    }
  }
  titles.emplace_back("not_run");
  return titles;
}

std::string line_of(const std::vector<std::string>& fields) {
  std::vector<std::string> cells;
  for (const std::string& field : fields) cells.push_back(quoted(field));
  return fmt::format("{}\n", fmt::join(cells, ","));
}

}  // namespace

void write_csv(std::ostream& out, const Results& results) {
  out << line_of(titles_of(results));
  for (const ShapeResult& shape : results.shapes) {
    for (const KernelResult& kernel : shape.kernels) out << line_of(fields_of(results, shape, kernel));
  }
}

}  // namespace clgemm::bench
