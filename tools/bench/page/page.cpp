#include "page/page.hpp"

#include <fmt/format.h>

#include "page/chart_style.hpp"
#include "page/page_script.hpp"
#include "page/svg.hpp"

namespace clgemm::bench {
namespace {

constexpr double wide = 880.0;
constexpr double narrow = 340.0;

// A screen that is too narrow for the wide pictures gets the narrow ones, with type of the same size.
constexpr const char* layout_css = R"(
*{box-sizing:border-box}
body{margin:0;font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif;
-webkit-text-size-adjust:100%}
main{max-width:980px;margin:0 auto;padding:40px 24px 64px}
.card+.device,.contents+.device,.device+.device{margin-top:72px;border-top:2px solid var(--line);padding-top:48px}
.eyebrow{margin:0;font-size:14px;font-weight:600;color:var(--accent)}
h1{margin:4px 0 6px;font-size:30px;line-height:1.2;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{margin:0 0 4px;font-size:19px;line-height:1.3}
p{margin:0 0 12px}
.facts,.caption,.foot{color:var(--muted);font-size:14px}
.caption{max-width:84ch;margin-bottom:18px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px;margin:24px 0 28px}
.tile,.card{background:var(--card);border:1px solid var(--line);border-radius:10px}
.tile{padding:14px 18px}
.tile b{display:block;font-size:22px;line-height:1.3;white-space:nowrap;font-weight:650;letter-spacing:-.01em}
.tile span{color:var(--muted);font-size:14px;line-height:1.4;display:block}
.card{margin:0 0 20px;padding:24px}
.card a{display:inline-block;margin-top:10px;color:var(--accent);font-size:14px}
.chart{display:block;max-width:100%;height:auto}
.narrow{display:none}
.instead{color:var(--muted);font-size:14px}
.contents{columns:2;margin:14px 0 40px;padding:0 0 0 18px;font-size:15px}
.contents a{color:var(--accent)}
.beware{border-left:3px solid var(--accent);padding-left:12px;font-size:14px}
.tip{display:none;position:fixed;z-index:1;pointer-events:none;max-width:320px;padding:6px 10px;border-radius:6px;
border:1px solid var(--line);background:var(--card);font-size:13px;line-height:1.4}
.key{cursor:pointer}
.key.off{opacity:.35}
.series.off{display:none}
.dimmed .series:not(.forward){opacity:.2}
.reason{white-space:normal;min-width:26ch}
.scroll{overflow-x:auto;margin:0 -24px;padding:0 24px}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;white-space:nowrap;min-width:100%}
th,td{padding:6px 14px 6px 0;text-align:right;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--muted)}
th:last-child,td:last-child{padding-right:0}
th:first-child,td:first-child{position:sticky;left:0;background:var(--card)}
.left{text-align:left}
.shape td{border-bottom:0;padding-top:18px;font-weight:600}
.failed{font-weight:700}
.best{font-weight:700}
@media(max-width:720px){
.contents{columns:1}
main{padding:24px 14px 40px}
h1{font-size:24px}
.card{padding:18px 16px}
.scroll{margin:0 -16px;padding:0 16px}
.wide{display:none}
.narrow{display:block}
}
@media print{.narrow{display:none}.card{break-inside:avoid}}
)";

constexpr const char* light_css =
    ":root{color-scheme:light dark;--card:#fff;--line:#dfe4ea;--muted:#5a6675;--accent:#0064a8}\n"
    "body{background:#f4f6f8;color:#1c2430}\n";
constexpr const char* dark_css =
    ":root{--card:#151b23;--line:#2b3440;--muted:#a3afbd;--accent:#5db2f2}\n"
    "body{background:#0d1217;color:#e8edf3}\n";

// Of what there is no picture, and what would make one.
std::string not_drawn(const std::vector<Picture>& pictures) {
  std::string html;
  for (const Picture& picture : pictures) {
    if (picture.draw) continue;
    html += fmt::format("<b>{}</b>: {} ", escaped(picture.heading), escaped(picture.instead));
  }
  return html.empty() ? "" : fmt::format("<p class=\"instead\">Not drawn. {}</p>\n", html);
}

std::string contents_of(const std::vector<DevicePage>& devices) {
  std::string html = "<p class=\"eyebrow\">Single-precision matrix multiply, measured by clgemm-bench</p>\n";
  if (devices.size() < 2) return html;
  html += fmt::format("<h1>{} runs</h1>\n<ul class=\"contents\">\n", devices.size());
  for (const DevicePage& device : devices) {
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(device.name), escaped(device.title));
  }
  return html + "</ul>\n";
}

std::string figure_of(const Picture& picture) {
  std::string html = fmt::format("<section class=\"card\" id=\"{}\">\n<h2>{}</h2>\n", escaped(picture.name),
                                 escaped(picture.heading));
  return html +
         fmt::format(
             "<p class=\"caption\">{}</p>\n<div class=\"wide\">\n{}</div>\n<div class=\"narrow\">\n{}</div>\n"
             "<a href=\"{}.svg\">This picture as a file</a>\n</section>\n",
             escaped(picture.caption), picture.draw(wide), picture.draw(narrow), escaped(picture.name));
}

}  // namespace

std::string html_page(const std::vector<DevicePage>& devices, const std::vector<Picture>& together) {
  std::string title = "clgemm-bench";
  if (devices.size() == 1) title += ": " + devices.front().results.facts.device;
  if (devices.size() > 1) title += fmt::format(": {} runs", devices.size());
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"generator\" content=\"clgemm-bench\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>\n{}{}{}@media(prefers-color-scheme:dark){{\n{}{}}}\n</style>\n</head>\n<body>\n<main>\n",
      escaped(title), light_css, chart_css_light(), layout_css, dark_css, chart_css_dark());
  html += contents_of(devices);
  for (const Picture& picture : together) {
    if (picture.draw) html += figure_of(picture);
  }
  for (const DevicePage& device : devices) {
    html += fmt::format("<article class=\"device\" id=\"{}\">\n{}", escaped(device.name),
                        html_summary(device.results, device.title));
    for (const Picture& picture : device.pictures) {
      if (picture.draw) html += figure_of(picture);
    }
    html += html_table(device.results) + not_drawn(device.pictures) + "</article>\n";
  }
  return html + fmt::format(
                    "<p class=\"foot\">Blue is clgemm: dark its own choice, light its single kernels. Each "
                    "peer keeps "
                    "its colour in every picture; grey does not compute in fp32. Bars across a point are the "
                    "bounds of "
                    "its median. Click on a name to hide it. Made by clgemm-bench from <a "
                    "href=\"results.json\">results.json</a>, which lies beside this "
                    "page.</p>\n</main>\n<script>\n{}</script>\n</body>\n</html>\n",
                    page_script);
}

}  // namespace clgemm::bench
