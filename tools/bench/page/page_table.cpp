// Every figure of a page, in a table.
#include <fmt/format.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "page/page.hpp"
#include "page/svg.hpp"

namespace clgemm::bench {
namespace {

struct Column {
  const char* title;
  std::optional<double> Figures::*member;
};
// Times; rates and error ratios have columns of their own.
constexpr Column columns[] = {{"median", &Figures::median_ms},     {"minimum", &Figures::min_ms},
                              {"95 %", &Figures::p95_ms},          {"call", &Figures::call_ms},
                              {"host to host", &Figures::host_ms}, {"cold", &Figures::cold_ms},
                              {"warm", &Figures::warm_ms}};

// "54.3 µs", "1.234 ms", "2.345 s": four digits that count.
std::string time_text(const std::optional<double>& ms) {
  if (!ms) return "-";
  if (*ms < 1.0) return fmt::format("{} \u00b5s", format_figure(*ms * 1e3));
  return *ms < 1e3 ? fmt::format("{} ms", format_figure(*ms))
                   : fmt::format("{} s", format_figure(*ms * 1e-3));
}

// How far the true median may be from this one.
std::string bounds_text(const ShapeResult& shape, const Figures& figures) {
  const std::optional<Time> time = shape.time(figures);
  if (!time || !figures.low_ms || figures.runs == 1) return "-";
  const double most = std::max(time->high_ms - time->ms, time->ms - time->low_ms) / time->ms;
  return fmt::format("{:.1f} %", 100.0 * most);
}

// The bounds, the runs, the rate, the error ratio and the check.
constexpr std::size_t more_columns = 5;

// The columns that have a value somewhere.
std::vector<Column> columns_of(const Results& results) {
  std::vector<Column> used;
  for (const Column& column : columns) {
    bool any = false;
    for (const ShapeResult& shape : results.shapes) {
      for (const KernelResult& kernel : shape.kernels) any = any || kernel.figures.*column.member;
      for (const PeerResult& peer : shape.peers) any = any || peer.figures.*column.member;
    }
    if (any) used.push_back(column);
  }
  return used;
}

const char* check_text(const Figures& figures) {
  if (!figures.computes_in_fp32) return "not fp32";
  if (!figures.passed) return "not checked";
  return *figures.passed ? "PASSED" : "FAILED";
}

// Of what computes in fp32 and is right; null where nothing does.
const Figures* fastest_of(const ShapeResult& shape) {
  const Figures* fastest = nullptr;
  const auto look_at = [&](const Figures& figures) {
    if (!figures.measured() || !figures.computes_in_fp32 || figures.failed()) return;
    if (fastest == nullptr || shape.time(figures)->ms < shape.time(*fastest)->ms) fastest = &figures;
  };
  for (const KernelResult& kernel : shape.kernels) look_at(kernel.figures);
  for (const PeerResult& peer : shape.peers) look_at(peer.figures);
  return fastest;
}

std::string line_of(const std::string& name, const ShapeResult& shape, const Figures& figures,
                    const std::vector<Column>& used, const Figures* fastest) {
  std::string html = fmt::format("<tr><td class=\"left\">{}</td>", escaped(name));
  if (!figures.measured()) {
    return html + fmt::format("<td class=\"left reason\" colspan=\"{}\">not measured: {}</td></tr>\n",
                              used.size() + more_columns, escaped(figures.reason));
  }
  for (const Column& column : used) {
    html += fmt::format("<td>{}</td>", time_text(figures.*column.member));
  }
  html += fmt::format("<td>{}</td><td>{}</td><td>{}</td><td>{}</td>", bounds_text(shape, figures),
                      figures.runs, figure_or_dash(shape.rate(figures)), figure_or_dash(figures.error_ratio));
  const bool as_fast = fastest != nullptr && figures.computes_in_fp32 && !figures.failed() &&
                       (&figures == fastest || (figures.low_ms && shape.within_noise(figures, *fastest)));
  if (as_fast) html.replace(html.find("<tr>"), 4, "<tr class=\"best\">");
  const bool failed = figures.judged() && !*figures.passed;
  return html + fmt::format("<td{}>{}</td></tr>\n", failed ? " class=\"failed\"" : "", check_text(figures));
}

}  // namespace

std::string html_table(const Results& results) {
  const std::vector<Column> used = columns_of(results);
  std::string html =
      "<section class=\"card\">\n<h2>All figures</h2>\n<p class=\"caption\">Median, minimum and "
      "95th percentile are of whole operations on the device, packing included, where it has a clock; call "
      "is the host's "
      "time until C is complete; ± is how far the true median may be from this one, 95 times of 100; host to "
      "host is "
      "with the copies of A, B and C; cold and warm are the first call of a process, with empty and with "
      "filled "
      "caches. GFLOPS are by one clock for each shape: the host's where something has no other. Bold are the "
      "fastest "
      "of each shape in fp32, and what the runs do not tell from it.</p>\n<div "
      "class=\"scroll\">\n<table>\n<tr><th class=\"left\">kernel or peer</th>";
  for (const Column& column : used) html += fmt::format("<th>{}</th>", column.title);
  html += "<th>±</th><th>runs</th><th>GFLOPS</th><th>error ratio</th><th>check</th></tr>\n";
  for (const ShapeResult& shape : results.shapes) {
    html += fmt::format("<tr class=\"shape\"><td class=\"left\" colspan=\"{}\">{}</td></tr>\n",
                        used.size() + 1 + more_columns, escaped(describe_labelled(shape)));
    const Figures* fastest = fastest_of(shape);
    for (const KernelResult& kernel : shape.kernels) {
      html += line_of(kernel.long_title(), shape, kernel.figures, used, fastest);
    }
    for (const PeerResult& peer : shape.peers) {
      html += line_of(peer_title(peer.name), shape, peer.figures, used, fastest);
    }
  }
  return html + "</table>\n</div>\n</section>\n";
}

}  // namespace clgemm::bench
