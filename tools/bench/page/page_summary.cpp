// The head of a page: the device, what was run when and where, and the figures that people look for first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "page/page.hpp"
#include "page/page_data.hpp"
#include "page/svg.hpp"

namespace clgemm::bench {
namespace {

std::string tile(const std::string& figure, const std::string& text) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escaped(figure), escaped(text));
}

std::string checks(const DeviceRows& device) {
  const auto [checked, passed] = checks_of(device);
  if (checked == 0) return tile("not checked", "--no-check was given");
  const std::string of = fmt::format("{} results, checked against float64", checked);
  return passed == checked ? tile("all PASSED", of)
                           : tile(fmt::format("{} FAILED", checked - passed), fmt::format("of {}", of));
}

std::string best_rate(const DeviceRows& device) {
  const Row* best = nullptr;
  for (const ShapeRows& shape : device.shapes) {
    const Row* own = shape.own();
    if (own == nullptr || !own->figures.gflops) continue;
    if (best == nullptr || *own->figures.gflops > *best->figures.gflops) best = own;
  }
  if (best == nullptr) return "";
  std::string text = "the highest rate, at " + describe_shape(*best);
  if (device.ceilings && device.ceilings->fp32_gflops) {
    text += fmt::format(": {:.0f} % of the {} GFLOPS measured as this device's peak",
                        100.0 * *best->figures.gflops / *device.ceilings->fp32_gflops,
                        format_figure(*device.ceilings->fp32_gflops));
  }
  return tile(format_figure(*best->figures.gflops) + " GFLOPS", text);
}

std::string over_peer(const DeviceRows& device, const std::string& peer) {
  std::vector<double> ratios;
  for (const ShapeRows& shape : device.shapes) {
    const PeerRow* row = shape.peer(peer);
    if (row == nullptr || !row->figures.measured() || shape.own() == nullptr) continue;
    ratios.push_back(speed_up(row->figures, shape.own()->figures));
  }
  if (ratios.empty()) return "";
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return tile(fmt::format("{:.2f} x", median(ratios)),
              fmt::format("the speed of {}: the median of {} shapes, from {:.2f} to {:.2f} x",
                          peer_title(peer), ratios.size(), *least, *most));
}

// Each different value once.
std::string values(const std::vector<Row>& rows, std::string Row::*member) {
  std::vector<std::string> seen;
  for (const Row& row : rows) {
    const std::string& value = row.*member;
    if (!value.empty() && std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
  }
  return fmt::format("{}", fmt::join(seen, ", "));
}

std::string facts(const std::vector<Row>& rows, const DeviceRows& device) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) parts.push_back(fmt::format("{} {}", name, value));
  };
  add("", values(rows, &Row::platform));
  add("driver", values(rows, &Row::driver));
  add("on", values(rows, &Row::host));
  add("clgemm", values(rows, &Row::version));
  for (const std::string& name : device.peers) {
    for (const ShapeRows& shape : device.shapes) {
      const PeerRow* peer = shape.peer(name);
      if (peer == nullptr || peer->version.empty()) continue;
      add(peer_title(name).c_str(),
          peer->settings.empty() ? peer->version : peer->version + " (" + peer->settings + ")");
      break;
    }
  }
  add("time by", values(rows, &Row::timer));
  add("", values(rows, &Row::date));
  return fmt::format("{}", fmt::join(parts, " · "));
}

}  // namespace

std::string html_summary(const std::vector<Row>& rows) {
  const DeviceRows device = by_shape(rows);
  std::string html = fmt::format(
      "<header>\n<p class=\"eyebrow\">Single-precision matrix multiply, measured by "
      "clgemm-bench</p>\n<h1>{}</h1>\n<p "
      "class=\"facts\">{}</p>\n</header>\n<div class=\"tiles\">\n",
      escaped(rows.front().device), escaped(facts(rows, device)));
  html += best_rate(device) + checks(device);
  for (const std::string& peer : device.peers) html += over_peer(device, peer);
  html += "</div>\n";
  for (const PeerRow& peer : device.missing) {
    html += fmt::format("<p class=\"facts\">{} was not measured: {}</p>\n", escaped(peer_title(peer.name)),
                        escaped(peer.figures.reason));
  }
  return html;
}

}  // namespace clgemm::bench
