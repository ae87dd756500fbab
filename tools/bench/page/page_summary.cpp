// The head of a page: the device, what was run when and where, and the figures that people look for first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "figures/summary.hpp"
#include "page/page.hpp"
#include "page/svg.hpp"

namespace clgemm::bench {
namespace {

std::string tile(const std::string& figure, const std::string& text) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escaped(figure), escaped(text));
}

std::string checks(const Results& results) {
  const auto [checked, passed] = checks_of(results);
  if (checked == 0) return tile("not checked", "--no-check was given");
  const std::string of = fmt::format("{} results, checked against float64", checked);
  return passed == checked ? tile("all PASSED", of)
                           : tile(fmt::format("{} FAILED", checked - passed), fmt::format("of {}", of));
}

std::string best_rate(const Results& results) {
  const ShapeResult* best = nullptr;
  double most = 0.0;
  for (const ShapeResult& shape : results.shapes) {
    const KernelResult* own = shape.own();
    if (own == nullptr || own->figures.gflops.value_or(0.0) <= most) continue;
    best = &shape;
    most = *own->figures.gflops;
  }
  if (best == nullptr) return "";
  const KernelResult& own = *best->own();
  std::string text = fmt::format("the highest rate{}, at {}", own.is_own_choice() ? "" : ", of " + own.kernel,
                                 describe_shape(*best));
  if (results.ceilings && own.on_fp32_units.value_or(true) && most <= results.ceilings->fp32_gflops) {
    text += fmt::format(": {:.0f} % of the {} GFLOPS measured as this device's peak",
                        100.0 * most / results.ceilings->fp32_gflops,
                        format_figure(results.ceilings->fp32_gflops));
  }
  return tile(format_figure(most) + " GFLOPS", text);
}

std::string over_peer(const BesidePeer& beside) {
  return tile(fmt::format("{:.2f} x", beside.geometric_mean),
              fmt::format("the speed of {}: the geometric mean of {} shapes; at {} of them at least as fast",
                          peer_title(beside.peer), beside.shapes, beside.at_least_one));
}

std::string worst_of(const BesidePeer& beside) {
  std::vector<std::string> shapes;
  for (const RatioAtShape& one : beside.worst) {
    shapes.push_back(fmt::format("{:.2f} x at {}", one.ratio, describe_labelled(*one.shape)));
  }
  return fmt::format("<p class=\"facts\">The lowest beside {}: {}.</p>\n", escaped(peer_title(beside.peer)),
                     escaped(fmt::format("{}", fmt::join(shapes, "; "))));
}

std::string facts_line(const Results& results) {
  const Facts& facts = results.facts;
  std::vector<std::string> parts;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) parts.push_back(fmt::format("{} {}", name, value));
  };
  add("", facts.platform);
  add("driver", facts.driver);
  add("on", facts.host);
  add("clgemm", facts.clgemm_version);
  for (const std::string& name : measured_peers(results)) {
    const PeerResult* peer = peer_with_version(results, name);
    if (peer == nullptr) continue;
    add(peer_title(name),
        peer->settings.empty() ? peer->version : peer->version + " (" + peer->settings + ")");
  }
  add("time by", facts.timer);
  add("", facts.date);
  return fmt::format("{}", fmt::join(parts, " · "));
}

}  // namespace

std::string html_summary(const Results& results, const std::string& title) {
  std::string html =
      fmt::format("<header>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n</header>\n<div class=\"tiles\">\n",
                  escaped(title), escaped(facts_line(results)));
  html += best_rate(results) + checks(results);
  const std::vector<BesidePeer> peers = beside_peers(results);
  for (const BesidePeer& beside : peers) html += over_peer(beside);
  html += "</div>\n";
  for (const BesidePeer& beside : peers) html += worst_of(beside);
  for (const std::string& trouble : troubles_of(results)) {
    html += fmt::format("<p class=\"beware\">Beware: {}</p>\n", escaped(trouble));
  }
  for (const MissingPeer& peer : results.missing_peers) {
    html += fmt::format("<p class=\"facts\">{} was not measured: {}</p>\n", escaped(peer.title),
                        escaped(peer.reason));
  }
  return html;
}

}  // namespace clgemm::bench
