#include "log/log_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/log.hpp"

namespace clgemm {
namespace {

std::string seconds_of(const Candidate& candidate) {
  if (!candidate.seconds) return "no prediction";
  const bool is_measured = candidate.origin.source == Source::measured;
  return milliseconds(*candidate.seconds) + (is_measured ? " measured" : " predicted");
}

std::string size_in_words(const Problem& problem) {
  return fmt::format("{} x {} x {}{}{}{}", problem.m, problem.n, problem.k,
                     problem.a.transposed ? ", A transposed" : "",
                     problem.b.transposed ? ", B transposed" : "",
                     problem.batch_count == 1 ? "" : fmt::format(", batch of {}", problem.batch_count));
}

// Describes the call in the caller's terms: with the sizes and operands of a column-major call, and the first
// factors of a list.
std::string in_words(const DeviceGemm& gemm) {
  Problem said = gemm.problem;
  const bool is_column_major = gemm.layout == Layout::column_major;
  if (is_column_major) {
    std::swap(said.m, said.n);
    std::swap(said.a, said.b);
  }
  if (!gemm.products.empty()) {
    said.alpha = gemm.products.front().alpha;
    said.beta = gemm.products.front().beta;
  }
  return fmt::format("{} x {} x {}{}{}{}{}, alpha {}, beta {}, ld {} {} {}", said.m, said.n, said.k,
                     is_column_major ? ", column-major" : "", said.a.transposed ? ", A transposed" : "",
                     said.b.transposed ? ", B transposed" : "",
                     said.batch_count == 1 ? "" : fmt::format(", batch of {}", said.batch_count), said.alpha,
                     said.beta, said.a.ld, said.b.ld, said.c.ld);
}

// A running call on a queue that records times.
struct TimedCall {
  std::string line;
  std::vector<cl::Event> commands;
};

std::string time_of(const std::vector<cl::Event>& commands) {
  cl_ulong begin = commands.front().getProfilingInfo<CL_PROFILING_COMMAND_START>();
  cl_ulong end = 0;
  for (const cl::Event& command : commands) {
    begin = std::min(begin, command.getProfilingInfo<CL_PROFILING_COMMAND_START>());
    end = std::max(end, command.getProfilingInfo<CL_PROFILING_COMMAND_END>());
  }
  return milliseconds(static_cast<double>(end - begin) * 1e-9) + " on the device";
}

void CL_CALLBACK say_when_complete(cl_event, cl_int status, void* data) {
  const std::unique_ptr<TimedCall> call(static_cast<TimedCall*>(data));
  try {
    log(LogLevel::debug, call->line + "; " + (status < 0 ? "failed" : time_of(call->commands)));
  } catch (const std::exception&) {
    log(LogLevel::debug, call->line);
  }
}

bool keeps_times(const cl::Event& command) {
  const auto queue = command.getInfo<CL_EVENT_COMMAND_QUEUE>();
  return (queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) != 0;
}

const char* in_words(Kinship kin) {
  switch (kin) {
    case Kinship::same:
      return "of this device";
    case Kinship::family:
      return "of the same family";
    case Kinship::stranger:
      return "of another device of its kind";
    case Kinship::none:
      break;
  }
  return "of another kind of device";
}

}  // namespace

void log_variables() {
  static const std::vector<Variable> variables = {
      {"CLGEMM_LOG", [](const std::string& value) { return value == "info" || value == "debug"; },
       "info or debug"},
      {"CLGEMM_CACHE", is_switch, "0 or 1"},
      {"CLGEMM_CACHE_MIB", is_count, "an integer of at least 1"},
      {"CLGEMM_DEVICE_MEMORY_MIB", is_count, "an integer of at least 1"},
      {"CLGEMM_SELF_TEST", is_switch, "0 or 1"},
      {"CLGEMM_PROBE", is_switch, "0 or 1"}};
  static const bool said = (log_bad_values(variables), true);
  static_cast<void>(said);
}

void log_tuning(const Tuning& tuning, const SpeedTable& table, const Device& device) {
  for (const TuningFile& file : tuning.files()) {
    const Kinship kin = kinship(file.device, device);
    const std::string what = fmt::format("{}, '{}' {}", file.path, file.device.name, in_words(kin));
    if (&file == table.file) {
      log(LogLevel::info, "tuning data used: " + what);
    } else if (kin == Kinship::same) {
      log(LogLevel::info,
          fmt::format("tuning data used: {}, but only for the {} shapes that were measured: {}", what,
                      file.measured.size(),
                      !file.rates ? "it contains no rates"
                                  : "its rates are those of other kernels, or an earlier file has rates"));
    } else {
      log(LogLevel::info,
          fmt::format("tuning data not used: {}{}", what,
                      kin == Kinship::none ? ""
                      : !file.rates        ? ", because it contains no rates"
                      : kin > table.kin    ? ", because its kernels are not for this device or version"
                                           : ", because there is a file for a more similar device"));
    }
  }
  if (table.file == nullptr)
    log(LogLevel::info, "there are no tuning data for this device, so speeds are guesses");
}

void log_choice(const Problem& problem, const Choice& choice) {
  if (!logs(LogLevel::info)) return;
  const Candidate& chosen = choice.chosen;
  std::string text = fmt::format("chosen for {}: {}, {}, {}", size_in_words(problem),
                                 to_string(chosen.config), seconds_of(chosen), to_string(chosen.origin));
  if (!choice.runners_up.empty()) {
    const Candidate& next = choice.runners_up.front();
    text += fmt::format("; runner-up: {}, {}", to_string(next.config), seconds_of(next));
  }
  log(LogLevel::info, text);
}

void log_call(const DeviceGemm& gemm, const Candidate& by, const std::string& device,
              const Progress& progress) {
  if (!logs(LogLevel::debug)) return;
  auto timed = std::make_unique<TimedCall>();
  timed->line =
      fmt::format("call: {}: {}; {}; {}", device, in_words(gemm), to_string(by.config), seconds_of(by));
  timed->commands = progress.commands;
  try {
    if (!timed->commands.empty() && keeps_times(timed->commands.back())) {
      cl::Event last = timed->commands.back();
      last.setCallback(CL_COMPLETE, say_when_complete, timed.get());
      static_cast<void>(timed.release());  // now it belongs to the callback
      return;
    }
  } catch (const cl::Error&) {  // a line without the time
  }
  log(LogLevel::debug, timed->line);
}

void log_host_call(const Problem& problem, const std::string& device, double seconds) {
  if (!logs(LogLevel::debug)) return;
  log(LogLevel::debug, fmt::format("call: {}: {}, host matrices; took {}", device, size_in_words(problem),
                                   milliseconds(seconds)));
}

}  // namespace clgemm
