// clgemm-tune: finds the fastest kernels for a device and writes them to a file that clgemm reads.
#include "base/platform/process.hpp"
#include "common/program.hpp"
#include "tune/actions/calibrate.hpp"
#include "tune/actions/prepare.hpp"
#include "tune/actions/tuned.hpp"
#include "tune/actions/tuner.hpp"
#include "tune/calibration/calibration_worker.hpp"
#include "tune/measuring/worker.hpp"

namespace clgemm::tune {
namespace {

int run(const TuneOptions& options) {
  switch (options.action) {
    case Action::tune:
      return tune(options);
    case Action::calibrate:
      return calibrate(options);
    case Action::fit:
      return fit_samples(options);
    case Action::regret:
      return say_regret(options);
    case Action::check:
      return check_configs(options);
    case Action::prepare:
      return prepare(options);
    case Action::list:
      return list_spaces(options);
    case Action::export_file:
      return export_tuning(options);
    case Action::import_file:
      return import_tuning(options);
    case Action::list_tuned:
      return list_tuned(options);
    case Action::forget:
      return forget_tuned(options);
    case Action::work:
      run_worker(options.device, options.kernel_folder);
      return all_is_well;
    case Action::work_for_calibration:
      run_calibration_worker(options.device, options.kernel_folder);
      return all_is_well;
    case Action::work_for_preparing:
      run_preparing_worker(options.device, options.kernel_folder);
      return all_is_well;
  }
  return bad_usage;
}

}  // namespace
}  // namespace clgemm::tune

int main(int argc, char** argv) {
  using namespace clgemm::tune;
  clgemm::survive_closed_pipes();  // for writes to a worker that has ended
  return clgemm::bench::run_program("clgemm-tune", [&] {
    const auto options = parse_options(argc, argv);
    return options ? run(*options) : all_is_well;
  });
}
