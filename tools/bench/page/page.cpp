#include "page/page.hpp"

#include <fmt/format.h>

#include "page/chart_style.hpp"
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
.device+.device{margin-top:72px;border-top:2px solid var(--line);padding-top:48px}
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
.instead{color:var(--muted);margin:8px 0 0}
.scroll{overflow-x:auto;margin:0 -24px;padding:0 24px}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;white-space:nowrap;min-width:100%}
th,td{padding:6px 14px 6px 0;text-align:right;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--muted)}
th:last-child,td:last-child{padding-right:0}
.left{text-align:left}
.shape td{border-bottom:0;padding-top:18px;font-weight:600}
.failed{font-weight:700}
.best{font-weight:700}
@media(max-width:720px){
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

std::string figure_of(const Picture& picture) {
  std::string html = fmt::format("<section class=\"card\" id=\"{}\">\n<h2>{}</h2>\n", escaped(picture.name),
                                 escaped(picture.heading));
  if (!picture.draw)
    return html + fmt::format("<p class=\"instead\">{}</p>\n</section>\n", escaped(picture.instead));
  return html +
         fmt::format(
             "<p class=\"caption\">{}</p>\n<div class=\"wide\">\n{}</div>\n<div class=\"narrow\">\n{}</div>\n"
             "<a href=\"{}.svg\">This picture as a file</a>\n</section>\n",
             escaped(picture.caption), picture.draw(wide), picture.draw(narrow), escaped(picture.name));
}

}  // namespace

std::string html_page(const std::vector<DevicePage>& devices) {
  std::string title = "clgemm-bench";
  if (!devices.empty()) title += ": " + devices.front().results.facts.device;
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>\n{}{}{}@media(prefers-color-scheme:dark){{\n{}{}}}\n</style>\n</head>\n<body>\n<main>\n",
      escaped(title), light_css, chart_css_light(), layout_css, dark_css, chart_css_dark());
  for (const DevicePage& device : devices) {
    html += "<article class=\"device\">\n" + html_summary(device.results);
    for (const Picture& picture : device.pictures) html += figure_of(picture);
    html += html_table(device.results) + "</article>\n";
  }
  return html +
         "<p class=\"foot\">Made by clgemm-bench from <a href=\"results.json\">results.json</a>, which lies "
         "beside this "
         "page.</p>\n</main>\n</body>\n</html>\n";
}

}  // namespace clgemm::bench
