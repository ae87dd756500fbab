// clgemm-tune on a device, if the times that it measures decide. Nothing else may run meanwhile.
#include <fmt/format.h>

#include <chrono>

#include "choose/tuning_json.hpp"
#include "support/llvmpipe.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"
#include "tune_program.hpp"

namespace clgemm::tune {
namespace {

using test::Finished;
using test::run_program;
using test::ScopedVariable;
using test::TemporaryFolder;
using test::text_of_file;

TEST_CASE("clgemm's own choice wins if the named kernels are slower") {
  const TemporaryFolder folder;
  const std::string output = (folder.path() / "out.json").string();
  REQUIRE(run_program(command("--kernel naive --samples 1 --size 300 --output " + output)).status == 0);
  const TuningFile file = parse_tuning(text_of_file(output), output);
  REQUIRE(file.measured.size() == 1);
  if (test::is_on_llvmpipe()) {
    WARN("NOT TESTED on llvmpipe, where naive is the fastest: that clgemm's own choice wins");
  } else {
    CHECK(file.measured[0].config.kernel != "naive");
  }
}

TEST_CASE("a calibration says if the machine was busy with other programs") {
  const TemporaryFolder folder;
  const std::string quick = command("--quick --budget 1 --output " + (folder.path() / "x.json").string());
  const Finished finished = run_program(
      "{ for i in $(seq $(nproc)); do timeout 60 sh -c 'while :; do :; done' & busy=\"$busy $!\"; done; " +
      quick + "; kill $busy; }");
  INFO(finished.out << finished.err);
  CHECK(finished.err.find("the machine was busy: other programs took") != std::string::npos);
}

TEST_CASE("a quick run measures few configs in seconds, and leaves the rows of a full calibration alone") {
  const TemporaryFolder folder;
  const std::string output = (folder.path() / "out.json").string();
  const auto start = std::chrono::steady_clock::now();
  const Finished quick = run_program(command("--quick --budget 30 --output " + output));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  INFO(quick.out << quick.err);
  if (test::is_on_llvmpipe()) {
    WARN("NOT TESTED on llvmpipe: how long a quick run takes");
  } else {
    REQUIRE(quick.status == 0);
    CHECK(took.count() < 100.0);  // 6 s with two cores
    const TuningFile file = parse_tuning(text_of_file(output), output);
    CHECK(file.rates);
    CHECK(file.configs.size() >= 4);
    CHECK(file.configs.size() <= 25);
    CHECK(journal_of(output).empty());
  }
  const std::string shapes = "--calibrate --shapes 32 --fresh --output " + output;
  const ScopedVariable fake("CLGEMM_TUNE_FAKE_TIMES", "1");
  REQUIRE(run_program(command(shapes)).status == 0);
  const std::string full = text_of_file(output);
  const Finished refused = run_program(command("--quick --output " + output));
  CHECK(refused.status == 1);
  CHECK(test::contains(refused.err, "'" + output + "' is from a full calibration"));
  CHECK(text_of_file(output) == full);
}

}  // namespace
}  // namespace clgemm::tune
