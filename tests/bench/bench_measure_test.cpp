// What clgemm-bench measures besides the GEMM on the device: spread, rotated buffers, host to host, the first
// call of a process, and the device's ceilings. Also the results that remain after Ctrl-C and SIGTERM.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "common/child_process.hpp"
#include "common/statistics.hpp"
#include "csv_cells.hpp"
#include "measuring/device_data.hpp"
#include "running/facts.hpp"
#include "running/host_link.hpp"
#include "running/long_call.hpp"
#include "running/measure.hpp"
#include "running/rotation.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"

using namespace clgemm::bench;
using clgemm::test::Finished;
using Json = nlohmann::json;

namespace {

// `before` goes before the program, for example a command that runs it.
Finished bench(const std::string& arguments, const std::string& before = "") {
  return clgemm::test::run_program(fmt::format("{} '{}' {}", before, CLGEMM_BENCH_PROGRAM, arguments));
}

Json only_row(const std::string& arguments) {
  const Finished finished = bench(arguments + " --runs 3 --warmup 1 --format json");
  INFO(arguments << '\n' << finished.err << finished.out);
  REQUIRE(finished.status == 0);
  const Json results = Json::parse(finished.out);
  REQUIRE(results.at("rows").size() == 1);
  Json row = results.at("rows").at(0);
  row.update(results.at("run"));
  return row;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the 95th percentile is the largest of few values") {
  CHECK(percentile_95({3.0}) == 3.0);
  CHECK(percentile_95({3.0, 1.0, 2.0}) == 3.0);
  std::vector<double> values;
  for (int i = 100; i > 0; --i) values.push_back(i);
  CHECK(percentile_95(values) == 95.0);
  values.resize(20);  // 81 to 100
  CHECK(percentile_95(values) == 99.0);
  CHECK_THROWS(percentile_95({}));
}

TEST_CASE("a row has the spread of its runs and the facts of the run") {
  const Json row = only_row("--size 33 --peer none");
  const double median = row.at("median_ms");
  const double least = row.at("min_ms");
  const double p95 = row.at("p95_ms");
  CHECK(least <= median);
  CHECK(median <= p95);
  CHECK(std::fabs(row.at("spread").get<double>() - (p95 - least) / median) < 1e-9);
  CHECK(row.at("date").get<std::string>().size() == std::string("2026-01-31T12:00:00Z").size());
  CHECK(row.at("date").get<std::string>().back() == 'Z');
  CHECK(row.at("samples_ms").size() == 3);
  CHECK(row.at("samples_ms").get<std::vector<double>>().at(0) >= row.at("min_ms").get<double>());
  CHECK_FALSE(row.at("clocks").get<std::string>().empty());
  const std::string commit = row.at("commit");
  CHECK((commit.empty() || commit.size() == 40));
  CHECK(row.at("clgemm_version").get<std::string>().find('.') != std::string::npos);
  CHECK(has(row.at("timer"), "resolution"));
  CHECK_FALSE(row.at("host").get<std::string>().empty());
  for (const char* not_asked :
       {"host_ms", "cold_ms", "warm_ms", "rotated_copies", "rotated_bytes", "ceilings"}) {
    INFO(not_asked);
    CHECK(row.at(not_asked).is_null());
  }
}

TEST_CASE("gaps count where the memory of matrices is counted") {
  clgemm::Device device;
  device.max_allocation_bytes = 100 * 100 * sizeof(float);
  CHECK_NOTHROW(check_fits(device, call_of({}, {100, 100, 100})));
  GemmKind with_gaps;
  with_gaps.gap = 1;
  CHECK_THROWS_AS(check_fits(device, call_of(with_gaps, {100, 100, 100})), clgemm::Error);
  const Rotation rotation = rotation_for(clgemm::default_device(), call_of(with_gaps, {64, 64, 64}));
  CHECK(rotation.bytes == rotation.copies * 3 * (63 * 65 + 64) * sizeof(float));
}

// Each run takes much longer than the call that it times, like cuBLAS's.
class LongRuns final : public Contestant {
 public:
  RunTimes run() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return {.operation_ms = 0.01, .call_ms = 0.01, .launches = 1};
  }
  std::vector<float> result() override { return {}; }
  HostRun run_host_to_host() override { return {}; }
};

TEST_CASE("--max-seconds limits the total time of the runs, not only the measured times") {
  Entrant entrant(std::make_unique<LongRuns>(), nullptr);
  measure({&entrant}, {.runs = 100, .warmup = 100, .max_seconds = 0.2}, [](const std::string&) {});
  CHECK(entrant.runs() >= 1);
  CHECK(entrant.runs() <= 10);
}

TEST_CASE("--rotate uses more copies than fit in the caches, each with the right data") {
  const cl::Device device = clgemm::default_device();
  const HostData host = make_host_data(call_of({}, {64, 64, 64}));
  const Rotation rotation = rotation_for(device, host.call);
  CHECK(rotation.copies >= 2);
  CHECK(rotation.bytes == rotation.copies * 3 * 64 * 64 * 4);
  const HostData large = make_host_data(call_of({}, {512, 512, 512}));
  CHECK(rotation_for(device, large.call).bytes >= beyond_caches(device));

  const cl::Context context(device);
  const cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
  const DeviceData data(queue, host, 3);
  const cl_mem first = data.a().buffer;
  data.next_copy();
  CHECK(data.a().buffer != first);
  data.next_copy();
  data.next_copy();
  CHECK(data.a().buffer == first);

  const Json row = only_row("--size 300x200x100 --beta 0.5 --peer openblas --rotate");
  CHECK(row.at("passed") == true);
  CHECK(row.at("rotated_copies").get<std::size_t>() >= 2);
  CHECK(row.at("rotated_bytes").get<std::size_t>() ==
        row.at("rotated_copies").get<std::size_t>() * 4 * (300 * 100 + 100 * 200 + 300 * 200));
}

TEST_CASE("--host-to-host has its own times for kernels and peers, and its results are checked") {
  const clgemm::test::TemporaryFolder cuda;
  for (const char* name : {"libcudart.so.12", "libcublas.so.12"}) {
    std::filesystem::copy_file(CLGEMM_FAKE_BLAS, cuda.path() / name);
  }
  const std::string beta = GENERATE("0", "-0.5");
  const Json row =
      only_row(fmt::format("--size 65x33x17 --layout column --transpose-a --beta {} --host-to-host --peer "
                           "clblast --peer 'cblas={}' "
                           "--peer 'cublas={}' --peer 'cublasxt={}'",
                           beta, CLGEMM_FAKE_BLAS, cuda.path().string(), cuda.path().string()));
  CHECK(row.at("passed") == true);
  CHECK(row.at("host_ms").get<double>() > 0.0);
  CHECK(row.at("host_bound_ms").get<double>() > 0.0);
  for (const char* name :
       {"clblast", "cblas", "cublas-fp32", "cublas-tf32", "cublasxt", "cublasxt-pinning"}) {
    INFO(name);
    const Json& peer = row.at("peers").at(name);
    if (peer.contains("error")) continue;
    CHECK(peer.at("host_ms").get<double>() > 0.0);
    CHECK(peer.at("passed") == (std::string(name) != "cublas-tf32"));
  }
}

TEST_CASE("a call on host matrices is bound by computing, or by the copies in one direction") {
  const clgemm::SgemmCall call = call_of({}, {1000, 1000, 1000});
  const auto link_of = [](double in_gbs, double out_gbs) {
    return clgemm::HostRates{
        .to_device = 1e9 * in_gbs, .from_device = 1e9 * out_gbs, .streamed = 0.0, .copied = 0.0};
  };
  const std::optional<clgemm::HostRates> link = link_of(4.0, 1.0);
  CHECK(host_bound_ms(call, std::nullopt, 3.0, 1) == 3.0);
  CHECK(host_bound_ms(call, std::nullopt, 3.0, 2) == 1.5);
  CHECK(host_bound_ms(call, link, 3.0, 1) == 4.0);  // 4 MB of C are returned
  CHECK(host_bound_ms(call, link, 30.0, 2) == 15.0);
  CHECK(host_bound_ms(call, link_of(1.0, 1.0), 3.0, 2) == 4.0);  // 8 MB of A and B are sent to two devices
  GemmKind with_beta;
  with_beta.beta = 1.0f;
  CHECK(host_bound_ms(call_of(with_beta, {1000, 1000, 1000}), link_of(1.0, 1.0), 3.0, 1) == 12.0);
}

TEST_CASE("several devices share only the calls on host matrices") {
  const Finished refused = bench("--size 33 --device 0 --device 0");
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "--host-to-host"));
  const clgemm::test::ScopedVariable devices("POCL_DEVICES", "pthread basic");
  const Json row = only_row("--size 300 --peer none --host-to-host --device all");
  CHECK(row.at("passed") == true);
  CHECK(row.at("host_ms").get<double>() > 0.0);
}

TEST_CASE("a long call reports its progress repeatedly, and a short call prints nothing") {
  using namespace std::chrono_literals;
  std::vector<std::string> told;
  const auto tell = [&told](const std::string& text) { told.push_back(text); };
  const auto wait = [] { std::this_thread::sleep_for(120ms); };
  call_telling(tell, "run 1/2", 0.0, wait, 20ms);
  REQUIRE(told.size() >= 3);
  CHECK(told[0] == "run 1/2");
  CHECK(told[1] == "run 1/2, 0 s so far");
  told.clear();
  call_telling(tell, "run 2/2", 1200.0, wait, 20ms);
  REQUIRE(told.size() >= 3);
  CHECK(told.back().find("run 2/2, 0 s, ") == 0);
  CHECK(told.back().find(" % of the time of the last one") != std::string::npos);
  told.clear();
  call_telling(tell, "run", 10.0, wait, 20ms);
  CHECK(told == std::vector<std::string>{"run"});
  CHECK_THROWS(call_telling(
      tell, "run", 0.0, [] { throw std::runtime_error("wrong"); }, 20ms));
}

TEST_CASE("the facts of the run contain the GPU's clocks and power from nvidia-smi") {
  const clgemm::test::TemporaryFolder folder;
  folder.write("nvidia-smi",
               "#!/bin/sh\necho 'NVIDIA H200, 1980 MHz, 1980 MHz, 3201 MHz, P0, 120.32 W, 700.00 W'\n"
               "echo 'NVIDIA T4, 300 MHz, 1590 MHz, 405 MHz, P8, 10.00 W, 70.00 W'\n");
  std::filesystem::permissions(folder.path() / "nvidia-smi", std::filesystem::perms::owner_all);
  const clgemm::test::ScopedVariable path("PATH",
                                          (folder.path().string() + ":" + std::getenv("PATH")).c_str());
  CHECK(gpu_state("NVIDIA H200").clocks == "SM 1980 MHz of 1980 MHz, memory 3201 MHz");
  CHECK(gpu_state("NVIDIA H200").power == "P0, 120.32 W of 700.00 W");
  CHECK(gpu_state("NVIDIA H100").clocks.empty());
}

TEST_CASE("--ceilings are above what a kernel reaches, and the table says where they come from") {
  const Json ceilings = only_row("--size 128 --peer none --ceilings").at("ceilings");
  for (const char* name : {"fp32_gflops", "read_gbs", "copy_gbs"}) {
    INFO(name);
    CHECK(ceilings.at(name).get<double>() > 0.1);
  }
  const Finished table = bench("--size 128 --peer none --ceilings --runs 2 --warmup 1");
  CHECK(has(table.out, "of peak"));
  CHECK(has(table.out, "Peak, as measured by --ceilings"));
}

TEST_CASE("--first-call is slower with cold caches than with warm caches, for the named kernel") {
  Json row;
  double cold = 0.0;
  double warm = 0.0;
  for (int tries = 0; tries < 3 && cold <= warm;
       ++tries) {  // each is one call, on a machine that may be busy
    row = only_row("--size 48 --peer openblas --kernel wpt --param TS=16 --first-call");
    cold = row.at("cold_ms");
    warm = row.at("warm_ms");
  }
  CHECK(warm > 0.0);
  CHECK(cold > warm);
  CHECK(row.at("parameters").at("TS") == 16);
  CHECK(row.at("peers").at("openblas").at("cold_ms").is_null());  // it compiles nothing
  CHECK_FALSE(has(bench("--help").out, "--first-call-of"));
}

TEST_CASE("a program runs itself, and a child that fails is an error") {
  // run_self() runs this test program.
  CHECK(has(run_self({"--help"}, {{"CLGEMM_CACHE", "0"}}), "usage"));
  CHECK_THROWS(run_self({"--no-such-option"}, {}));
}

// These two do their work in children of the next test.
TEST_CASE("prints the list of drivers", "[.]") {
  fmt::print("{}", clgemm::environment("OCL_ICD_FILENAMES"));
}

TEST_CASE("cuts the list of drivers as an ICD loader does, and starts a child", "[.]") {
  char* const list = std::getenv("OCL_ICD_FILENAMES");
  if (list == nullptr || std::strchr(list, ':') == nullptr) return;
  *std::strchr(list, ':') = '\0';
  fmt::print("{}", run_self({"prints the list of drivers"}, {}));
}

TEST_CASE("a child finds the list of drivers whole, even if an ICD loader has cut it") {
  const std::string out = run_self({"cuts the list of drivers as an ICD loader does*"},
                                   {{"OCL_ICD_FILENAMES", "one.so:two.so:three.so"}});
  CHECK(has(out, "one.so:two.so:three.so"));
}

TEST_CASE("Ctrl-C and SIGTERM write the results so far, and end with 130 and 143") {
  // The first size takes four seconds. The second one is running when the signal arrives.
  const std::string endless = "--size 17 --size 18 --peer none --runs 200000 --warmup 0 --max-seconds 4";
  const auto after = [](const char* signal) {
    return fmt::format("timeout --preserve-status --kill-after 30 --signal {} 7", signal);
  };
  const Finished json = bench(endless + " --format json", after("INT"));
  INFO(json.err << json.out);
  CHECK(json.status == 130);
  CHECK(has(json.err, "interrupted"));
  const Json rows = Json::parse(json.out).at("rows");
  REQUIRE(rows.size() >= 1);
  CHECK(rows.at(0).at("m") == 17);
  CHECK(rows.at(0).at("runs").get<int>() > 0);
  CHECK(rows.at(0).at("passed") == true);

  const Finished csv = bench(endless + " --format csv", after("TERM"));
  CHECK(csv.status == 143);
  CHECK(has(csv.out, "\n"));
  const std::vector<std::ptrdiff_t> cells = clgemm::test::cells_of_lines(csv.out);
  CHECK(cells.size() >= 2);
  for (const std::ptrdiff_t count : cells) CHECK(count == cells.front());
}
