// The peers of clgemm-bench: the list of them, the results of each, and the message about a peer that is not
// available.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/size.hpp"
#include "common/usage_error.hpp"
#include "peers/clblast_tuned_file.hpp"
#include "peers/request.hpp"
#include "support/catch.hpp"
#include "support/llvmpipe.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"

using namespace clgemm::bench;
using clgemm::test::Finished;
using Json = nlohmann::json;

namespace {

Finished bench(const std::string& arguments) {
  return clgemm::test::run_program(
      fmt::format("'{}' {} --runs 3 --warmup 1", CLGEMM_BENCH_PROGRAM, arguments));
}

// A folder with the fake library under the names of CUDA's libraries.
class FakeCuda {
 public:
  FakeCuda() {
    for (const char* name : {"libcudart.so.13", "libcublas.so.13"}) {
      std::filesystem::copy_file(CLGEMM_FAKE_BLAS, folder_.path() / name);
    }
  }
  std::string path() const { return folder_.path().string(); }

 private:
  clgemm::test::TemporaryFolder folder_;
};

// Writes a file like CLBlast's tuner, with parameters that any device accepts.
void write_tuned(const std::filesystem::path& path, const std::string& parameters, const std::string& time) {
  std::ofstream(path) << Json{{"kernel_family", "xgemm_1"},
                              {"precision", "32"},
                              {"best_time", time},
                              {"best_parameters", parameters},
                              {"clblast_device_name", "some device"}};
}

constexpr const char* usual =
    "GEMMK=0 KREG=1 KWG=32 KWI=2 MDIMA=8 MDIMC=8 MWG=16 NDIMB=8 NDIMC=8 NWG=16 PRECISION=32 SA=0 SB=0 STRM=0 "
    "STRN=0 VWM=1 VWN=1";

}  // namespace

TEST_CASE("--peer takes known names, each once, with the value that it needs") {
  CHECK(default_peers().size() == 1);
  CHECK(parse_peers({"none"}).empty());
  const auto peers = parse_peers({"clblast", "cblas=lib.so", "cublas", "clblast-tuned=a.json,b.json"});
  REQUIRE(peers.size() == 4);
  CHECK(peers[1].name == "cblas");
  CHECK(peers[1].value == "lib.so");
  CHECK(peers[3].value == "a.json,b.json");
  const std::vector<std::vector<std::string>> bad = {
      {"blas"}, {"cblas"},           {"cblas="},        {"openblas=4"},
      {""},     {"none", "clblast"}, {"clblast-tuned"}, {"clblast", "clblast"}};
  for (const auto& texts : bad) {
    INFO(texts.front());
    CHECK_THROWS_AS(parse_peers(texts), UsageError);
  }
  CHECK(bench("--peer blas").status == 2);
}

TEST_CASE("a CBLAS library multiplies the same data in every layout") {
  const std::string kind = GENERATE("", "--transpose-a --beta 0.5", "--transpose-b --layout column",
                                    "--transpose-a --transpose-b --layout column --alpha -1.5 --beta 2",
                                    "--transpose-a --transpose-b");
  const FakeCuda cuda;
  const Finished finished =
      bench(fmt::format("--size 33x17x9 --peer 'cblas={}' --peer 'cublas={}' --format json {}",
                        CLGEMM_FAKE_BLAS, cuda.path(), kind));
  INFO(kind << finished.err << finished.out);
  CHECK(finished.status == 0);
  CHECK(clgemm::test::without_warnings_of_mesa(finished.err).empty());
  const Json peers = Json::parse(finished.out).at("rows").at(0).at("peers");
  CHECK(peers.at("cblas").at("passed") == true);
  CHECK(peers.at("cblas").at("clock") == "host");
  CHECK(peers.at("cblas").at("version") == "libfake_blas.so");
  CHECK(peers.at("cublas-fp32").at("passed") == true);
  CHECK(peers.at("cublas-fp32").at("version") == "13.1.2");
  CHECK(peers.at("cublas-fp32").at("median_ms") == 0.25);
  CHECK(peers.at("cublas-fp32").at("settings").get<std::string>().find('/') == std::string::npos);
  CHECK(peers.at("cublas-fp32").at("clock") == "device");

  // TF32 does not meet the bound. The run reports this and does not fail.
  CHECK(peers.at("cublas-tf32").at("passed") == false);
  CHECK(peers.at("cublas-tf32").at("error_ratio").get<double>() > 100.0);
  CHECK(peers.at("cublas-tf32").contains("note"));
}

TEST_CASE("every peer computes a batch, and so does clgemm") {
  const std::string kind = GENERATE("--gap 3", "--transpose-a --beta 0.5 --layout column --gap 1",
                                    "--transpose-b --layout column");
  const FakeCuda cuda;
  const Finished finished = bench(fmt::format(
      "--size 33x17x9 --batch 5 --peer 'cblas={}' --peer 'cublas={}' --peer clblast --format json {}",
      CLGEMM_FAKE_BLAS, cuda.path(), kind));
  INFO(kind << finished.err << finished.out);
  CHECK(finished.status == 0);
  const Json row = Json::parse(finished.out).at("rows").at(0);
  CHECK(row.at("batch") == 5);
  CHECK(row.at("passed") == true);
  CHECK(row.at("checked_elements") == 5 * 33 * 17);
  const double operations = row.at("gflops").get<double>() * row.at("median_ms").get<double>() * 1e6;
  CHECK(std::fabs(operations - 5 * 2.0 * 33 * 17 * 9) < 1.0);
  for (const char* peer : {"cblas", "cublas-fp32", "clblast"}) {
    INFO(peer);
    CHECK(row.at("peers").at(peer).at("passed") == true);
  }
}

TEST_CASE("failures of CUDA are reported, and earlier objects are freed") {
  const std::string function = GENERATE("cudaMemcpy", "cublasSetMathMode");
  const FakeCuda cuda;
  const clgemm::test::ScopedVariable fails("FAKE_CUDA_FAILS", function.c_str());
  const Finished finished = bench(fmt::format("--size 9 --peer 'cublas={}' --format json", cuda.path()));
  INFO(function << finished.err << finished.out);
  CHECK(finished.err.find(function) != std::string::npos);
  CHECK(finished.err.find("not freed") == std::string::npos);
}

TEST_CASE("a missing peer is reported on stderr, in the table and in JSON") {
  const std::string missing = "--size 9 --peer cblas=/no/such.so --peer cublas=/no/folder";
  const Finished table = bench(missing);
  CHECK(table.status == 0);
  for (const std::string& text : {table.out, table.err}) {
    INFO(text);
    CHECK(text.find("CBLAS is missing: /no/such.so") != std::string::npos);
    CHECK(text.find("cuBLAS is missing: /no/folder/libcudart.so.13") != std::string::npos);
  }
  const Json peers = Json::parse(bench(missing + " --format json").out).at("rows").at(0).at("peers");
  for (const char* name : {"cblas", "cublas-fp32", "cublas-tf32"}) {
    INFO(name);
    CHECK(peers.at(name).at("error").get<std::string>().find("cannot open") != std::string::npos);
    CHECK(peers.at(name).at("median_ms").is_null());
  }
}

TEST_CASE("OpenBLAS reports its configuration, and uses the kernels of this processor") {
  const Finished finished = bench("--size 64 --peer openblas --format json");
  REQUIRE(finished.status == 0);
  const Json peer = Json::parse(finished.out).at("rows").at(0).at("peers").at("openblas");
  if (peer.contains("error")) {
    WARN("NOT TESTED: " << peer.at("error"));
    return;
  }
  CHECK(peer.at("passed") == true);
  const std::string settings = peer.at("settings");
  INFO(settings);
  CHECK(settings.find("threads ") != std::string::npos);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) CHECK(settings.find("core Prescott") == std::string::npos);
#endif
}

TEST_CASE("the best result of each kernel in the files of CLBlast's tuner is used") {
  const clgemm::test::TemporaryFolder folder;
  write_tuned(folder.path() / "a.json", usual, "3.50");
  write_tuned(folder.path() / "b.json", "KWG=16 PRECISION=32", "3.37");
  const TunedKernel a = read_tuned_kernel((folder.path() / "a.json").string());
  const TunedKernel b = read_tuned_kernel((folder.path() / "b.json").string());
  CHECK(a.kernel == "Xgemm");
  CHECK(a.device == "some device");
  CHECK(a.parameters.at("KWG") == 32);
  CHECK(a.parameters.count("PRECISION") == 0);
  const auto best = best_of_each_kernel({a, b, a});
  REQUIRE(best.size() == 1);
  CHECK(best.front().parameters.at("KWG") == 16);

  std::ofstream(folder.path() / "c.json") << "{}";
  CHECK_THROWS(read_tuned_kernel((folder.path() / "c.json").string()));
  CHECK_THROWS(read_tuned_kernel((folder.path() / "none.json").string()));
}

TEST_CASE("CLBlast with its tuner's parameters is measured next to the default CLBlast") {
  const clgemm::test::TemporaryFolder folder;
  const std::string good = (folder.path() / "good.json").string();
  const std::string bad = (folder.path() / "bad.json").string();
  write_tuned(good, usual, "1");
  write_tuned(bad, "KWG=16", "1");
  const Finished finished =
      bench(fmt::format("--size 64 --peer clblast --peer 'clblast-tuned={}' --format json", good));
  REQUIRE(finished.status == 0);
  const Json peers = Json::parse(finished.out).at("rows").at(0).at("peers");
  if (peers.at("clblast").contains("error")) {
    WARN("NOT TESTED: " << peers.at("clblast").at("error"));
    return;
  }
  CHECK(peers.at("clblast").at("passed") == true);
  CHECK(peers.at("clblast-tuned").at("passed") == true);
  CHECK(peers.at("clblast-tuned").at("settings").get<std::string>().find("Xgemm GEMMK=0 KREG=1 KWG=32") == 0);

  const Finished refused = bench(fmt::format("--size 64 --peer 'clblast-tuned={}'", bad));
  CHECK(refused.err.find("CLBlast does not take these parameters for Xgemm") != std::string::npos);
}
