// The page that clgemm-bench writes: its files, that they are well formed, load nothing, and name everything.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/usage_error.hpp"
#include "figures/results_json.hpp"
#include "page/legend.hpp"
#include "page/page.hpp"
#include "page/page_folder.hpp"
#include "page/pictures.hpp"
#include "page/scale.hpp"
#include "page/svg.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"
#include "writing/markdown.hpp"

using namespace clgemm::bench;
using clgemm::test::TemporaryFolder;
using clgemm::test::text_of_file;
using Json = nlohmann::json;

namespace {

constexpr const char* peer_names[] = {"clblast", "clblast-tuned", "openblas",
                                      "cblas",   "cublas-fp32",   "cublas-tf32"};
constexpr const char* picture_names[] = {"gflops", "ladder", "roofline", "speed-up", "error-ratio"};

Json figures(double ms, int size) {
  return {{"median_ms", ms},    {"min_ms", ms * 0.97},
          {"p95_ms", ms * 1.1}, {"gflops", 2e-6 * size * size * size / ms},
          {"clock", "device"},  {"runs", 20},
          {"error_ratio", 3.5}, {"passed", true}};
}

Json row(const std::string& device, const std::string& kernel, int size) {
  Json object = figures(size * 0.01 + static_cast<double>(kernel.size()), size);
  object.update({{"device", device},
                 {"platform", "P"},
                 {"driver", "1"},
                 {"kernel", kernel == "auto" ? "tiled" : kernel},
                 {"asked", kernel},
                 {"m", size},
                 {"n", size},
                 {"k", size},
                 {"layout", "row"},
                 {"transpose_a", "no"},
                 {"transpose_b", "no"},
                 {"alpha", 1.0},
                 {"beta", 0.0},
                 {"error_bound", 30.0},
                 {"date", "2026-11-20"},
                 {"host", "H"}});
  object["ceilings"] = {{"fp32_gflops", 300.0}, {"read_gbs", 20.0}, {"copy_gbs", 15.0}};
  for (const char* peer : peer_names) {
    object["peers"][peer] = figures(size * 0.012, size);
    object["peers"][peer]["version"] = "1.0";
    if (std::string(peer) == "cublas-tf32") {
      object["peers"][peer].update({{"passed", false}, {"error_ratio", 900.0}, {"note", "not fp32"}});
    }
    object["peers"][peer]["settings"] = {{"core", "SkylakeX"}, {"threads", 2}};
  }
  return object;
}

Json all_rows(const std::string& device) {
  Json rows = Json::array();
  for (const int size : {64, 100, 1024}) {
    for (const char* kernel : {"auto", "naive", "coalesced", "tiled", "wpt", "block_2d"}) {
      rows.push_back(row(device, kernel, size));
    }
  }
  return rows;
}

// Every element is closed in order, and every attribute quoted: what XML asks, as far as these files use it.
// Returns what is wrong, or nothing.
std::string wrong_with(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.empty() || tag.find('<') != std::string::npos) return "a bare <";
    if (tag.front() == '!' || tag.front() == '?') continue;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "quotes: " + tag;
    const std::string name =
        tag.substr(tag.front() == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag.front() == '/' ? 1 : 0));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "closed out of order: " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

// Whatever a browser would fetch by itself.
bool loads_something(const std::string& page) {
  for (const char* loading :
       {"<script ", "<link", "<img", "<iframe", "src=", "url(", "@import", "href=\"http"}) {
    if (page.find(loading) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a report is a page, the results, and pictures, all well formed, and it loads nothing") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "deep" / "report").string();
  make_report_folder(path);
  write_report_folder(path, all_rows("A <device> & \"another\"").dump());
  std::vector<std::string> files = {"index.html"};
  for (const char* picture : picture_names) files.push_back(std::string(picture) + ".svg");
  for (const std::string& file : files) {
    INFO(file);
    const std::string text = text_of_file((std::filesystem::path(path) / file).string());
    REQUIRE_FALSE(text.empty());
    CHECK(wrong_with(text) == "");
    CHECK_FALSE(loads_something(text));
    CHECK(text.find("prefers-color-scheme:dark") != std::string::npos);
    CHECK(text.find("nan") == std::string::npos);
    CHECK(text.find("inf\"") == std::string::npos);
  }
  CHECK(Json::parse(text_of_file(path + "/results.json")).size() == 18);
  const std::string page = text_of_file(path + "/index.html");
  for (const char* peer : peer_names) {
    INFO(peer);
    CHECK(page.find(peer_title(peer)) != std::string::npos);
  }
  CHECK(page.find("A &lt;device&gt; &amp; &quot;another&quot;") != std::string::npos);
  CHECK(page.find("all PASSED") != std::string::npos);
}

TEST_CASE("two files of the same second stay two, and so they do in a page of pages") {
  const TemporaryFolder folder;
  const auto path = [&folder](const char* name) { return (folder.path() / name).string(); };
  folder.write("one.json", R"([{"device": "D", "date": "now", "kernel": "a", "m": 8, "n": 8, "k": 8}])");
  folder.write("two.json", R"([{"device": "D", "date": "now", "kernel": "b", "m": 9, "n": 9, "k": 9}])");
  const std::string both = join_files({path("one.json"), path("two.json")});
  CHECK(parse_results(both, "both").size() == 2);
  folder.write("both.json", both);
  CHECK(parse_results(join_files({path("both.json"), path("one.json")}), "all").size() == 3);
}

TEST_CASE("a peer that ran nowhere is said once, and is no column") {
  Json rows = all_rows("D");
  for (Json& object : rows)
    object["peers"]["openblas"] = {{"version", ""}, {"median_ms", nullptr}, {"error", "no library"}};
  const std::string html = html_summary(parse_results(rows.dump(), "test").at(0), "D");
  CHECK(html.find("OpenBLAS was not measured: no library") != std::string::npos);
  std::ostringstream markdown;
  write_markdown(markdown, parse_results(rows.dump(), "test"));
  CHECK(markdown.str().find("OpenBLAS") == std::string::npos);
}

TEST_CASE("a long list of shapes is a line for each peer in Markdown, not one for each shape") {
  Json rows = all_rows("D");
  const Json row = rows.at(0);
  for (std::size_t n = 1000; n < 1041; ++n) {
    Json more = row;
    more["n"] = n;
    rows.push_back(more);
  }
  std::ostringstream markdown;
  write_markdown(markdown, parse_results(rows.dump(), "test"));
  CHECK(markdown.str().find("| beside | shapes | geometric mean |") != std::string::npos);
  CHECK(markdown.str().find("| m x n x k |") == std::string::npos);
}

TEST_CASE("titles of runs differ: by the day, by the minute, or by a number") {
  const TemporaryFolder folder;
  Json rows = Json::array();
  for (const char* date : {"2026-11-20T08:36:44Z", "2026-11-21T08:36:44Z", "2026-11-21T09:15:00Z",
                           "2026-11-22T10:00:00Z", "2026-11-22T10:00:59Z"}) {
    Json one = row("D", "auto", 64);
    one["date"] = date;
    rows.push_back(one);
  }
  write_report_folder(folder.path().string(), rows.dump());
  const std::string page = text_of_file((folder.path() / "index.html").string());
  CHECK(page.find("<h1>5 runs</h1>") != std::string::npos);
  for (const char* title :
       {"D: 1 shape, 2026-11-20", "D: 1 shape, 2026-11-21 08:36", "D: 1 shape, 2026-11-21 09:15",
        "D: 1 shape, 2026-11-22 10:00", "D: 1 shape, 2026-11-22 10:00, 2"}) {
    INFO(title);
    CHECK(page.find(fmt::format(">{}</a>", title)) != std::string::npos);
    CHECK(page.find(fmt::format("<h1>{}</h1>", title)) != std::string::npos);
  }
}

TEST_CASE("long names are shortened in their middle, and not within a letter") {
  const std::string name = "pthread-skylake-avx512-Intel(R) Xeon(R) Processor: 18 shapes, 2026-11-20";
  const std::string shorter = shortened(name, 250.0);
  CHECK(shorter.starts_with("pthread-"));
  CHECK(shorter.ends_with("18 shapes, 2026-11-20"));
  CHECK(text_width(shorter) <= 250.0);
  CHECK(shortened(name, 2000.0) == name);
  for (double width = 0.0; width < 80.0; width += 5.0) {
    const std::string letters = shortened("üüüüüüüüüüüü", width);
    const auto dots = letters.find("…");
    if (dots != std::string::npos) CHECK((dots % 2 == 0 && letters.size() % 2 == 1));  // three bytes of two
  }
}

TEST_CASE("each device has pictures of its own") {
  const TemporaryFolder folder;
  Json rows = all_rows("First Device");
  for (const Json& other : all_rows("Second (2)")) rows.push_back(other);
  write_report_folder(folder.path().string(), rows.dump());
  for (const char* file : {"gflops-first-device.svg", "gflops-second-2.svg"}) {
    CHECK(std::filesystem::exists(folder.path() / file));
  }
  CHECK(wrong_with(text_of_file((folder.path() / "index.html").string())) == "");
}

TEST_CASE(
    "runs of one device have files, places and pictures of their own, and one that shows them together") {
  const TemporaryFolder folder;
  Json rows = all_rows("D");
  for (Json other : all_rows("D")) {
    other["date"] = "2026-11-21";
    rows.push_back(other);
  }
  for (Json other : all_rows("D")) {
    other["precision"] = "fp32";
    rows.push_back(other);
  }
  write_report_folder(folder.path().string(), rows.dump());
  for (const char* file :
       {"gflops-d.svg", "gflops-d-2.svg", "gflops-d-fp32-units-alone.svg", "devices.svg"}) {
    INFO(file);
    CHECK(std::filesystem::exists(folder.path() / file));
  }
  const std::string page = text_of_file((folder.path() / "index.html").string());
  CHECK(wrong_with(page) == "");
  for (const char* place : {"d", "d-2", "d-fp32-units-alone"}) {
    INFO(place);
    CHECK(page.find(fmt::format("id=\"{}\"", place)) != std::string::npos);
    CHECK(page.find(fmt::format("href=\"#{}\"", place)) != std::string::npos);
  }
}

TEST_CASE("the page shows rates from host to host over the number of devices") {
  Json rows = Json::array({row("D", "auto", 64), row("2 x D", "auto", 64), row("1 x D, 2 x E", "auto", 64)});
  for (Json& one : rows) one["host_ms"] = 0.5;
  const std::vector<Results> runs = parse_results(rows.dump(), "test");
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].facts.devices() == 1);
  CHECK(runs[1].facts.devices() == 2);
  CHECK(runs[2].facts.devices() == 3);
  CHECK(joint_name({"D", "E", "E"}) == "1 x D, 2 x E");
  const Picture picture = rates_over_devices({{"a", &runs[0]}, {"b", &runs[1]}, {"c", &runs[2]}});
  REQUIRE(picture.draw);
  const std::string svg = picture.draw(880.0);
  CHECK(svg.find("clgemm, 64, 1 device: ") != std::string::npos);
  CHECK(svg.find("clgemm, 64, 3 devices: 1.049 GFLOPS") != std::string::npos);
  const Picture none = rates_over_devices({{"a", &runs[0]}});
  CHECK_FALSE(none.draw);
  CHECK(none.instead.find("--host-to-host") != std::string::npos);
}

TEST_CASE("bold is what is fastest in fp32; times have the unit that they need; a roof for each limit") {
  Json rows = Json::array({row("D", "auto", 64)});
  rows[0]["peers"]["cublas-tf32"]["median_ms"] = 0.0123;  // many times as fast, but not fp32
  rows[0]["ceilings"].update({{"cache_gbs", 90.0}, {"tensor_gflops", 3000.0}});
  const std::vector<Results> runs = parse_results(rows.dump(), "test");
  const std::string table = html_table(runs.at(0));
  CHECK(table.find("class=\"best\"><td class=\"left\">cuBLAS TF32") == std::string::npos);
  CHECK(table.find("class=\"best\"") != std::string::npos);
  CHECK(table.find("12.30 \u00b5s") != std::string::npos);
  const std::string picture = roofline(runs.at(0)).draw(880.0);
  CHECK(picture.find("cuBLAS fp32, 64") != std::string::npos);
  CHECK(picture.find("cuBLAS TF32, 64") == std::string::npos);
  CHECK(roofline(runs.at(0)).caption.find("cuBLAS TF32 does not compute in fp32") != std::string::npos);
  for (const char* roof :
       {"memory: 20.00 GB/s", "cache: 90.00 GB/s", "fp32 units: 300.0", "three products: 1000"}) {
    INFO(roof);
    CHECK(picture.find(roof) != std::string::npos);
  }
}

TEST_CASE(
    "what stands above the line of the fp32 units is explained where the results lack the tensor cores") {
  Json rows = Json::array({row("D", "auto", 64)});
  const auto caption = [&rows] { return roofline(parse_results(rows.dump(), "test").at(0)).caption; };
  CHECK(caption().find("What stands above") == std::string::npos);
  rows[0]["ceilings"]["fp32_gflops"] = 0.001;
  CHECK(caption().find("What stands above the line of the fp32 units") != std::string::npos);
  rows[0]["ceilings"]["tensor_gflops"] = 3000.0;
  CHECK(caption().find("What stands above") == std::string::npos);
}

TEST_CASE("ceilings that are none, and names without an end, make a page all the same") {
  for (const Json& ceilings : {Json::object(), Json(7), Json("none"), Json{{"fp32_gflops", -1.0}},
                               Json{{"fp32_gflops", 1e300}, {"read_gbs", "x"}, {"copy_gbs", 1.0}}}) {
    Json rows = Json::array({row("D", "auto", 64)});
    rows[0]["ceilings"] = ceilings;
    const Results results = parse_results(rows.dump(), "test").at(0);
    CHECK_FALSE(results.ceilings);
    static_cast<void>(roofline(results));
  }
  Json rows = Json::array({row("D", std::string(20000, 'x'), 64)});
  const Results results = parse_results(rows.dump(), "test").at(0);
  CHECK(results.shapes.at(0).kernels.at(0).kernel == std::string(1000, 'x') + "...");
}

TEST_CASE("results may hold any text: it is shown without its control characters") {
  Json rows = Json::array({row("D\x1b[2J", "auto", 64)});
  rows[0]["kernel"] = rows[0]["asked"] = "a\nclgemm-bench: all is well";
  rows[0]["parameters"] = {{"TS\x07", 8}};
  rows[0]["peers"] = {{std::string(20000, 'p') + "\r", figures(1.0, 64)}};
  const Results results = parse_results(rows.dump(), "test").at(0);
  const ShapeResult& shape = results.shapes.at(0);
  CHECK(results.facts.device == "D\\x1b[2J");
  CHECK(shape.kernels.at(0).kernel == "a\\nclgemm-bench: all is well");
  CHECK(shape.kernels.at(0).parameters.count("TS\\x07") == 1);
  CHECK(shape.peers.at(0).name == std::string(1000, 'p') + "...");
}

TEST_CASE("results that are nested too deeply, or never end, are refused") {
  const std::string nested = std::string(100000, '[') + std::string(100000, ']');
  Json rows = Json::array({row("D", "auto", 64)});
  rows[0]["host"] = "HERE";
  std::string text = rows.dump();
  text.replace(text.find("\"HERE\""), 6, nested);
  CHECK_THROWS_AS(parse_results(text, "test"), UsageError);
  CHECK_THROWS_AS(parse_results(nested, "test"), UsageError);
  CHECK_THROWS_AS(read_results("/dev/zero"), UsageError);
  CHECK_THROWS_AS(read_results("/"), UsageError);
  CHECK_THROWS_AS(read_results("/nosuch"), UsageError);
}

TEST_CASE("a step of the ladder is from kernel to kernel, and none is from what clgemm chose") {
  const std::vector<Results> runs = parse_results(all_rows("D").dump(), "test");
  const std::string picture = ladder(runs.at(0)).draw(880.0);
  const auto ratios_of = [&picture](const std::string& kernel) {
    const std::size_t begin = picture.find("<title>" + kernel + ": ");
    REQUIRE(begin != std::string::npos);
    const std::string tip = picture.substr(begin, picture.find("</title>", begin) - begin);
    return std::count(tip.begin(), tip.end(), 'x') - std::count(kernel.begin(), kernel.end(), 'x');
  };
  CHECK(ratios_of("naive") == 1);  // which runs behind "auto"
  CHECK(ratios_of("coalesced") == 2);
}

TEST_CASE("rows with hardly a key make a page that says what is missing") {
  Json bare = {{"device", "D"}, {"kernel", "naive"}, {"m", 8}, {"n", 9}, {"k", 10}};
  const TemporaryFolder folder;
  write_report_folder(folder.path().string(), Json::array({bare}).dump());
  const std::string page = text_of_file((folder.path() / "index.html").string());
  CHECK(wrong_with(page) == "");
  for (const char* said :
       {"--ceilings", "--ladder", "--suite seeds", "No peer was measured", "not measured"}) {
    INFO(said);
    CHECK(page.find(said) != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "roofline.svg"));
  CHECK_THROWS_AS(write_report_folder(folder.path().string(), "[]"), UsageError);
}

TEST_CASE("what is no result of the bench is said to be none") {
  for (const char* bad :
       {"", "{}", "[1]", "[{}]", "[{\"kernel\": \"naive\", \"m\": 0, \"n\": 1, \"k\": 1}]", "[{"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_results(bad, "file"), UsageError);
  }
}

TEST_CASE("marks on axes are round values within the axis") {
  CHECK(linear_ticks(0.0, 10.0, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(linear_ticks(0.0, 0.7, 5).size() >= 3);
  CHECK(log_ticks(1.0, 100.0) == std::vector<double>{1, 2, 5, 10, 20, 50, 100});
  CHECK(log_ticks(0.5, 50000.0).size() == 5);
  // What a file may hold.
  const double infinity = std::numeric_limits<double>::infinity();
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  for (const double low : {0.0, -1.0, infinity, no_number, 1e-300, 5e-324, 1.0, 1e300}) {
    for (const double high : {0.0, -1.0, infinity, no_number, 1e-300, 1.0, 1e300}) {
      CHECK(log_ticks(low, high).size() < 2000);
      CHECK(linear_ticks(low, high, 5).size() < 20);
    }
  }
  CHECK(log_ticks(0.0, 1.0).empty());
  const Scale scale(ScaleKind::logarithmic, 1.0, 100.0, 0.0, 10.0);
  CHECK(std::fabs(scale(10.0) - 5.0) < 1e-9);
  CHECK(tick_text(0.5) == "0.5");
  CHECK(tick_text(2000) == "2000");
  CHECK(tick_text(1234567) == "1\u202f234\u202f567");
}

TEST_CASE("no two series look the same without their colours") {
  std::vector<std::string> kernels;
  for (int i = 0; i < 12; ++i) kernels.push_back(fmt::format("kernel{}", i));
  const SeriesStyles styles(kernels);
  std::vector<std::string> looks;
  const auto add = [&looks](const SeriesStyle& style) {
    looks.push_back(fmt::format("{} {} {}", style.marker % marker_count, style.dash, style.hollow));
  };
  add(styles.kernel("clgemm"));
  for (const std::string& kernel : kernels) add(styles.kernel(kernel));
  for (const char* peer : peer_names) add(styles.peer(peer));
  std::sort(looks.begin(), looks.end());
  CHECK(std::adjacent_find(looks.begin(), looks.end()) == looks.end());
}

TEST_CASE("Markdown has a table of shapes, and one of kernels, with as many cells in each row") {
  std::ostringstream out;
  write_markdown(out, parse_results(all_rows("D").dump(), "test"));
  std::istringstream lines(out.str());
  std::size_t tables = 0;
  std::ptrdiff_t cells = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::ptrdiff_t bars = std::count(line.begin(), line.end(), '|');
    if (bars != 0 && cells == 0) ++tables;
    if (bars != 0 && cells != 0) CHECK(bars == cells);
    cells = bars;
  }
  CHECK(tables == 2);
  for (const char* said :
       {"**D**", "cuBLAS TF32", "`coalesced`", "1024", "every result PASSED", "300.0 GFLOPS"}) {
    INFO(said);
    CHECK(out.str().find(said) != std::string::npos);
  }
}

TEST_CASE("where clgemm's own choice did not run, the fastest kernel has its own name") {
  Json rows = all_rows("D");
  rows.erase(std::remove_if(rows.begin(), rows.end(), [](const Json& one) { return one["asked"] == "auto"; }),
             rows.end());
  const std::vector<Results> runs = parse_results(rows.dump(), "test");
  std::ostringstream markdown;
  write_markdown(markdown, runs);
  CHECK(markdown.str().find("| clgemm |") == std::string::npos);
  CHECK(markdown.str().find("(`wpt`)") != std::string::npos);
  CHECK(html_summary(runs.at(0), "D").find("the highest rate, of wpt, at") != std::string::npos);
  const TemporaryFolder folder;
  write_report_folder(folder.path().string(), rows.dump());
  for (const char* picture : {"speed-up", "roofline", "error-ratio"}) {
    INFO(picture);
    const std::string svg = text_of_file((folder.path() / (std::string(picture) + ".svg")).string());
    CHECK_FALSE(svg.empty());
    CHECK(svg.find(">clgemm") == std::string::npos);
  }
}

TEST_CASE("samples of the tuner are a map of configs and shapes, and the regret of what was predicted") {
  const std::vector<SampleLine> lines = {{64, 64, 64, "a X=1 SPLIT_K=1 Y=2", 3e-6, 2e-6},
                                         {64, 64, 64, "a X=1 SPLIT_K=4 Y=2", 2e-6, 3e-6},
                                         {64, 64, 64, "b", 1e-6, 4e-6},
                                         {32, 32, 32, "b", 1e-6, 1e-6}};
  const TuningSamples samples = tuning_samples(lines);
  CHECK(samples.configs == std::vector<std::string>{"a X=1 Y=2", "b"});
  REQUIRE(samples.shapes.size() == 2);
  CHECK(samples.shapes[0].size == Size{32, 32, 32});
  CHECK(samples.shapes[1].regret() == Approx(3.0));
  CHECK(samples.mean_regret() == Approx(std::sqrt(3.0)));
  CHECK_FALSE(samples.times[0][0]);
  CHECK(samples.times[0][1]->seconds == 2e-6);

  const TemporaryFolder folder;
  const std::string path = (folder.path() / "samples.csv").string();
  write_sample_lines(path, lines);
  write_report_folder(folder.path().string(), all_rows("D").dump(), path);
  for (const char* file : {"index.html", "tuning-space.svg", "regret.svg"}) {
    const std::string text = text_of_file((folder.path() / file).string());
    INFO(file);
    CHECK(wrong_with(text) == "");
    CHECK(text.find("64 x 64 x 64: ") != std::string::npos);
  }
  CHECK(tuning_space(tuning_samples({})).instead != "");
}

TEST_CASE("a page after a run, and bad usage") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "out").string();
  const auto bench = [](const std::string& arguments) {
    return clgemm::test::run_program(fmt::format("'{}' {}", CLGEMM_BENCH_PROGRAM, arguments));
  };
  const auto finished = bench(fmt::format(
      "--size 16 --size 24 --kernel auto --kernel naive --runs 2 --warmup 1 --report '{}'", path));
  INFO(finished.err);
  CHECK(finished.status == 0);
  CHECK(finished.err.find(path + "/index.html") != std::string::npos);
  CHECK(Json::parse(text_of_file(path + "/results.json")).size() == 5);  // four rows and a summary
  CHECK(wrong_with(text_of_file(path + "/index.html")) == "");

  CHECK(bench(fmt::format("--report '{0}/again' --from '{0}/results.json'", path)).status == 0);
  CHECK(std::filesystem::exists(path + "/again/gflops.svg"));
  CHECK(bench("--from nosuch.json").status == 2);
  CHECK(bench(fmt::format("--report '{}' --from nosuch.json", path)).status == 2);
  CHECK(bench("--report /dev/null/x --size 8").status == 2);
  for (const char* name : {"index.html", "results.json"}) {
    const TemporaryFolder foreign;
    foreign.write(name, "mine");
    const auto refused = bench(fmt::format("--report '{}' --size 8", foreign.path().string()));
    CHECK(refused.status == 2);
    CHECK(refused.err.find("no report of clgemm-bench") != std::string::npos);
    CHECK(text_of_file((foreign.path() / name).string()) == "mine");
  }
}
