// The page that clgemm-bench writes: its files, the fact that it loads nothing, and the data that its script
// draws. report_browser.py tests how a browser shows it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/usage_error.hpp"
#include "figures/results_json.hpp"
#include "page/page_folder.hpp"
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

// Returns true if the page has something that a browser would fetch by itself.
bool loads_something(const std::string& page) {
  for (const char* loading : {"<link", "<img", "<iframe", "src=", "url(", "@import", "href=\"http"}) {
    if (page.find(loading) != std::string::npos) return true;
  }
  return false;
}

Json data_of(const Json& rows) {
  return Json::parse(page_data(parse_results(rows.dump(), "test"), {}));
}

// Returns the data inside the page.
Json data_in(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

}  // namespace

TEST_CASE("a report is a page that loads nothing, with the results in a separate file") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "deep" / "report").string();
  make_report_folder(path);
  const std::string device = "A <device> & \"another\"</script><script>alert(1)</script>\u2028";
  write_report_folder(path, all_rows(device).dump());
  const std::string page = text_of_file(path + "/index.html");
  CHECK_FALSE(loads_something(page));
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("alert(1)</script>") == std::string::npos);
  CHECK(page.find("<device>") == std::string::npos);
  CHECK(page.find("\u2028") == std::string::npos);
  const Json run = data_in(page).at("runs").at(0);
  CHECK(run["run"]["device"].get<std::string>().starts_with("A <device> & \"another\"</script><script>"));
  CHECK(run["rows"].size() == 18);
  for (const char* peer : peer_names) {
    INFO(peer);
    CHECK(page.find(peer_title(peer)) != std::string::npos);
  }
  CHECK(Json::parse(text_of_file(path + "/results.json")).size() == 18);
  CHECK(std::distance(std::filesystem::directory_iterator(path), {}) == 2);
}

TEST_CASE("two files of the same second stay separate, also in a page of pages") {
  const TemporaryFolder folder;
  const auto path = [&folder](const char* name) { return (folder.path() / name).string(); };
  folder.write("one.json", R"([{"device": "D", "date": "now", "kernel": "a", "m": 8, "n": 8, "k": 8}])");
  folder.write("two.json", R"([{"device": "D", "date": "now", "kernel": "b", "m": 9, "n": 9, "k": 9}])");
  const std::string both = join_files({path("one.json"), path("two.json")});
  CHECK(parse_results(both, "both").size() == 2);
  folder.write("both.json", both);
  CHECK(parse_results(join_files({path("both.json"), path("one.json")}), "all").size() == 3);
}

TEST_CASE("a peer that never ran is reported once, and has no column") {
  Json rows = all_rows("D");
  for (Json& object : rows)
    object["peers"]["openblas"] = {{"version", ""}, {"median_ms", nullptr}, {"error", "no library"}};
  const Results run = parse_results(rows.dump(), "test").front();
  REQUIRE(run.missing_peers.size() == 1);
  CHECK(run.missing_peers[0].title == "OpenBLAS");
  CHECK(run.missing_peers[0].reason == "no library");
  std::ostringstream markdown;
  write_markdown(markdown, parse_results(rows.dump(), "test"));
  CHECK(markdown.str().find("OpenBLAS") == std::string::npos);
}

TEST_CASE("a long list of shapes becomes one line for each peer in Markdown") {
  Json rows = all_rows("D");
  const Json row = rows.at(0);
  for (std::size_t n = 1000; n < 1041; ++n) {
    Json more = row;
    more["n"] = n;
    rows.push_back(more);
  }
  std::ostringstream markdown;
  write_markdown(markdown, parse_results(rows.dump(), "test"));
  CHECK(markdown.str().find("| compared with | shapes | geometric mean |") != std::string::npos);
  CHECK(markdown.str().find("| m x n x k |") == std::string::npos);
}

TEST_CASE("runs are named by their files or devices, and names are unique") {
  Json rows = Json::array();
  for (const char* date : {"2026-11-20T08:36:44Z", "2026-11-21T08:36:44Z", "2026-11-21T09:15:00Z"}) {
    rows.push_back(row("D", "auto", 64));
    rows.back()["date"] = date;
  }
  const auto names_of = [](const Json& data) {
    std::vector<std::string> names;
    for (const Json& run : data["runs"]) names.push_back(run["name"]);
    return names;
  };
  CHECK(names_of(data_of(rows)) == std::vector<std::string>{"D", "D (2)", "D (3)"});
  const TemporaryFolder folder;
  folder.write("one.json", rows.dump());
  folder.write("two.json", Json::array({row("D", "auto", 64)}).dump());
  const auto path = [&folder](const char* name) { return (folder.path() / name).string(); };
  const std::string joined = join_files({path("one.json"), path("two.json"), path("two.json")});
  const std::vector<std::string> by_file = {"one", "one (2)", "one (3)", "two", "two (2)"};
  CHECK(names_of(data_of(Json::parse(joined))) == by_file);
}

TEST_CASE("several devices that share a call are not shown as one device") {
  Json rows = Json::array({row("D", "auto", 64), row("2 x D", "auto", 64), row("1 x D, 2 x E", "auto", 64)});
  for (Json& one : rows) one["host_ms"] = 0.5;
  const std::vector<Results> runs = parse_results(rows.dump(), "test");
  REQUIRE(runs.size() == 3);
  CHECK(joint_name({"D", "E", "E"}) == "1 x D, 2 x E");
  const Json data = data_of(rows);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& run = data["runs"][i];
    CHECK(run["devices"] == i + 1);
    CHECK(run["rows"][0]["host_ms"] == 0.5);
  }
}

TEST_CASE("a row has one rate to compare, from the clock that all results of its shape have") {
  Json rows = Json::array({row("D", "auto", 64)});
  rows[0]["call_ms"] = rows[0]["median_ms"].get<double>() * 2.0;
  const double by_device = rows[0]["gflops"];
  for (auto& [name, peer] : rows[0]["peers"].items()) {
    if (name == "openblas") peer["clock"] = "host";
    peer["call_ms"] = peer["median_ms"];
  }
  CHECK(data_of(rows)["runs"][0]["rows"][0]["rate"].get<double>() == Approx(by_device / 2.0));
}

TEST_CASE("the fastest result in fp32 is marked as the best") {
  Json rows = Json::array({row("D", "auto", 64)});
  rows[0]["peers"]["cublas-tf32"]["median_ms"] = 0.0123;  // many times as fast, but not in fp32
  const Json written = data_of(rows)["runs"][0]["rows"][0];
  CHECK(written["peers"]["cublas-tf32"]["best"] == false);
  std::size_t best = written["best"] == true ? 1 : 0;
  for (const Json& peer : written["peers"]) {
    if (peer["best"] == true) ++best;
  }
  CHECK(best > 0);
}

TEST_CASE("a page is made even with invalid ceilings and endless names") {
  for (const Json& ceilings : {Json::object(), Json(7), Json("none"), Json{{"fp32_gflops", -1.0}},
                               Json{{"fp32_gflops", 1e300}, {"read_gbs", 1.0}, {"copy_gbs", 1.0}},
                               Json{{"fp32_gflops", 1.0}, {"read_gbs", "x"}, {"copy_gbs", 1.0}}}) {
    Json rows = Json::array({row("D", "auto", 64)});
    rows[0]["ceilings"] = ceilings;
    const Results results = parse_results(rows.dump(), "test").at(0);
    CHECK_FALSE(results.ceilings);
    CHECK(data_of(rows)["runs"][0]["run"]["ceilings"] == nullptr);
  }
  Json rows = Json::array({row("D", std::string(20000, 'x'), 64)});
  const Results results = parse_results(rows.dump(), "test").at(0);
  CHECK(results.shapes.at(0).kernels.at(0).kernel == std::string(1000, 'x') + "...");
}

TEST_CASE("any text in results is shown without control characters") {
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

TEST_CASE("a page is made even from rows with few keys, but not without rows") {
  const Json bare = {{"device", "D"}, {"kernel", "naive"}, {"m", 8}, {"n", 9}, {"k", 10}};
  const TemporaryFolder folder;
  write_report_folder(folder.path().string(), Json::array({bare}).dump());
  const Json run = data_in(text_of_file((folder.path() / "index.html").string()))["runs"][0];
  CHECK(run["rows"][0]["median_ms"] == nullptr);
  CHECK(run["summaries"].empty());
  CHECK_THROWS_AS(write_report_folder(folder.path().string(), "[]"), UsageError);
}

TEST_CASE(
    "a file is an object with run, rows and summaries; an array of objects, or only rows, can be read, too") {
  const Json rows = Json::array({row("D", "auto", 64), row("D", "naive", 64)});
  const TemporaryFolder folder;
  folder.write("old.json", rows.dump());
  const Json joined = Json::parse(join_files({(folder.path() / "old.json").string()}));
  CHECK(joined["run"]["device"] == "D");
  CHECK(joined["run"]["file"] == "old");
  CHECK(joined["rows"].size() == 2);
  CHECK_FALSE(joined["rows"][0].contains("device"));
  CHECK(parse_results(joined.dump(), "test").at(0).shapes.at(0).kernels.size() == 2);
  CHECK(parse_results(Json::array({joined}).dump(), "test").size() == 1);
  Json other = joined;
  other["run"]["file"] = "other";
  CHECK(parse_results(Json::array({joined, other}).dump(), "test").size() == 2);
}

TEST_CASE("files that are not results of the bench are reported as such") {
  for (const char* bad :
       {"", "{}", "[1]", R"({"run": {}})", R"({"run": {}, "rows": [{}]})", R"([{"run": 1, "rows": []}])",
        "[{}]", "[{\"kernel\": \"naive\", \"m\": 0, \"n\": 1, \"k\": 1}]", "[{"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_results(bad, "file"), UsageError);
  }
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

TEST_CASE("if clgemm's own choice did not run, the fastest kernel has its own name") {
  Json rows = all_rows("D");
  rows.erase(std::remove_if(rows.begin(), rows.end(), [](const Json& one) { return one["asked"] == "auto"; }),
             rows.end());
  const std::vector<Results> runs = parse_results(rows.dump(), "test");
  std::ostringstream markdown;
  write_markdown(markdown, runs);
  CHECK(markdown.str().find("| clgemm |") == std::string::npos);
  CHECK(markdown.str().find("(`wpt`)") != std::string::npos);
  CHECK(data_of(rows)["runs"][0]["own"] == "fastest kernel");
}

TEST_CASE("the page contains the samples of the tuner, and its script groups them") {
  const std::vector<SampleLine> lines = {{64, 64, 64, "a X=1 SPLIT_K=1 Y=2", 3e-6, 2e-6},
                                         {32, 32, 32, "b", 1e-6, 1e-6, 1, "tn"}};
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "samples.csv").string();
  write_sample_lines(path, lines);
  write_report_folder(folder.path().string(), all_rows("D").dump(), path);
  const Json data = data_in(text_of_file((folder.path() / "index.html").string()))["samples"];
  CHECK(
      data ==
      Json::parse(
          R"([[64, 64, 64, 1, "a X=1 SPLIT_K=1 Y=2", 3e-6, 2e-6, "nn"], [32, 32, 32, 1, "b", 1e-6, 1e-6, "tn"]])"));
}

TEST_CASE("a page is written after a run, and bad usage is refused") {
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
  const Json written = Json::parse(text_of_file(path + "/results.json"));
  CHECK(written.at("rows").size() == 4);
  CHECK(written.at("summaries").size() == 1);  // besides the default peer
  CHECK(data_in(text_of_file(path + "/index.html"))["runs"].size() == 1);

  CHECK(bench(fmt::format("--report '{0}/again' --from '{0}/results.json'", path)).status == 0);
  CHECK(std::filesystem::exists(path + "/again/index.html"));
  CHECK(bench(fmt::format("--report '{0}/both' --from '{0}/results.json' '{0}/again/results.json' --from "
                          "'{0}/results.json'",
                          path))
            .status == 0);
  CHECK(data_in(text_of_file(path + "/both/index.html"))["runs"].size() == 3);
  CHECK(bench("--from nosuch.json").status == 2);
  CHECK(bench(fmt::format("--report '{}' --from nosuch.json", path)).status == 2);
  CHECK(bench("--report /dev/null/x --size 8").status == 2);
  for (const char* name : {"index.html", "results.json"}) {
    const TemporaryFolder foreign;
    foreign.write(name, "mine");
    const auto refused = bench(fmt::format("--report '{}' --size 8", foreign.path().string()));
    CHECK(refused.status == 2);
    CHECK(refused.err.find("clgemm-bench did not write") != std::string::npos);
    CHECK(text_of_file((foreign.path() / name).string()) == "mine");
  }
}
