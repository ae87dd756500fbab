#include "choose/choice.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clgemm {
namespace {

constexpr std::size_t described_runners_up = 3;  // later ones are rarely close

const char* in_words(Fault fault) {
  switch (fault) {
    case Fault::device_limit:
      return "cannot run on this device";
    case Fault::no_scratch:
      return "not enough scratch memory";
    case Fault::bad_kernel:
      return "invalid config";
    case Fault::build_failed:
      return "not built";
    case Fault::wrong_result:
      return "wrong result";
    case Fault::spills:
      return "not enough registers";
    case Fault::excluded:
      return "failed earlier";
  }
  return "";
}

std::string seconds_of(const Candidate& candidate) {
  return candidate.seconds ? fmt::format("{:.3g} ms", *candidate.seconds * 1e3) : "unknown";
}

std::string whence_seconds(const Candidate& candidate) {
  return candidate.origin.source == Source::measured ? "measured" : "predicted";
}

}  // namespace

std::string to_string(const Origin& origin) {
  switch (origin.source) {
    case Source::measured:
      return "measured: " + origin.text;
    case Source::fitted_on_device:
    case Source::fitted_on_architecture:
    case Source::fitted_elsewhere:
      return "from the speed model: " + origin.text;
    case Source::anywhere:
      return "runs anywhere";
    case Source::named:
      break;
  }
  return "named by the caller";
}

bool is_in_doubt(const Candidate& candidate) {
  return candidate.origin.source == Source::fitted_elsewhere;
}

std::optional<Fault> fault_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::requirement_failed:
    case ErrorCode::device_limit_exceeded:
      return Fault::device_limit;
    case ErrorCode::out_of_memory:
      return Fault::no_scratch;
    case ErrorCode::kernel_not_found:
    case ErrorCode::invalid_kernel_file:
    case ErrorCode::invalid_parameter:
      return Fault::bad_kernel;
    case ErrorCode::build_failed:
      return Fault::build_failed;
    case ErrorCode::self_test_failed:
      return Fault::wrong_result;
    default:
      return std::nullopt;
  }
}

std::string describe(const Choice& choice) {
  std::string result = fmt::format("chosen: {}\n", to_string(choice.chosen.origin));
  result += fmt::format("{}: {}\n", whence_seconds(choice.chosen), seconds_of(choice.chosen));
  if (choice.chosen.spilled_bytes != 0) {
    result += fmt::format(
        "spills: {} bytes do not fit in the registers; no other config is expected to be faster\n",
        choice.chosen.spilled_bytes);
  }
  const std::size_t shown = std::min(choice.runners_up.size(), described_runners_up);
  for (std::size_t i = 0; i < shown; ++i) {
    const Candidate& next = choice.runners_up[i];
    result += fmt::format("runner-up: {}, {} {}, {}\n", to_string(next.config), whence_seconds(next),
                          seconds_of(next), to_string(next.origin));
  }
  for (const Rejected& one : choice.rejected)
    result += fmt::format("not used: {}: {}: {}\n", to_string(one.config), in_words(one.fault), one.why);
  return result;
}

}  // namespace clgemm
