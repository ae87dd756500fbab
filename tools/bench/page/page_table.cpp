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
constexpr Column columns[] = {{"median", &Figures::median_ms},     {"minimum", &Figures::min_ms},
                              {"95 %", &Figures::p95_ms},          {"GFLOPS", &Figures::gflops},
                              {"host to host", &Figures::host_ms}, {"cold", &Figures::cold_ms},
                              {"warm", &Figures::warm_ms},         {"error ratio", &Figures::error_ratio}};

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

double fastest_ms(const ShapeResult& shape) {
  double least = 0.0;
  const auto look_at = [&least](const Figures& figures) {
    if (figures.measured() && (least == 0.0 || *figures.median_ms < least)) least = *figures.median_ms;
  };
  for (const KernelResult& kernel : shape.kernels) look_at(kernel.figures);
  for (const PeerResult& peer : shape.peers) look_at(peer.figures);
  return least;
}

std::string line_of(const std::string& name, const Figures& figures, const std::vector<Column>& used,
                    double best) {
  std::string html = fmt::format("<tr><td class=\"left\">{}</td>", escaped(name));
  if (!figures.measured()) {
    return html + fmt::format("<td class=\"left\" colspan=\"{}\">not measured: {}</td></tr>\n",
                              used.size() + 1, escaped(figures.reason));
  }
  for (const Column& column : used) {
    const std::optional<double>& value = figures.*column.member;
    html += fmt::format("<td>{}</td>", value ? format_figure(*value) : "-");
  }
  if (*figures.median_ms == best) html.replace(html.find("<tr>"), 4, "<tr class=\"best\">");
  const bool failed = figures.judged() && !*figures.passed;
  return html + fmt::format("<td{}>{}</td></tr>\n", failed ? " class=\"failed\"" : "", check_text(figures));
}

}  // namespace

std::string html_table(const Results& results) {
  const std::vector<Column> used = columns_of(results);
  std::string html =
      "<section class=\"card\">\n<h2>All figures</h2>\n<p class=\"caption\">Times in ms. Median, minimum and "
      "95th percentile are of whole operations on the device, packing included; host to host is with the "
      "copies of A, B and C; cold and warm are the first call of a process, with empty and with filled "
      "caches. The fastest of each shape is bold.</p>\n<div "
      "class=\"scroll\">\n<table>\n<tr><th class=\"left\">kernel or peer</th>";
  for (const Column& column : used) html += fmt::format("<th>{}</th>", column.title);
  html += "<th>check</th></tr>\n";
  for (const ShapeResult& shape : results.shapes) {
    html += fmt::format("<tr class=\"shape\"><td class=\"left\" colspan=\"{}\">{}</td></tr>\n",
                        used.size() + 2, escaped(describe_labelled(shape)));
    const double best = fastest_ms(shape);
    for (const KernelResult& kernel : shape.kernels) {
      html += line_of(kernel.long_title(), kernel.figures, used, best);
    }
    for (const PeerResult& peer : shape.peers) {
      html += line_of(peer_title(peer.name), peer.figures, used, best);
    }
  }
  return html + "</table>\n</div>\n</section>\n";
}

}  // namespace clgemm::bench
