#include "one_case.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "base/device.hpp"
#include "base/error.hpp"
#include "cases.hpp"

namespace clgemm::test {
namespace {

constexpr std::chrono::milliseconds slow_copy{20};

enum class Outcome { right, wrong, error, lost, in_use };

Outcome outcome_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::device_lost:
      return Outcome::lost;
    case ErrorCode::matrices_in_use:
      return Outcome::in_use;
    default:
      return Outcome::error;
  }
}

class Calls {
 public:
  Calls(const Path& path) : path_(path), scenario_(path.make()) {}

  // Counts in the second call of each, which finds kernels and scratch.
  Counts count(const Setting& setting) {
    constexpr unsigned long never = std::numeric_limits<unsigned long>::max();
    std::vector<Fault> faults;
    Counts counts;
    for (int round = 0; round < 2; ++round) {
      faults.clear();
      for (const Counted counted : all_counted)
        faults.push_back({never, 0, CL_SUCCESS, functions_of(counted)});
      for (const cl_device_id device : scenario_->devices()) {
        faults.push_back({never, 0, CL_SUCCESS, {}});
        faults.back().device = device;
      }
      const Outcome outcome = call(setting, faults);
      if (outcome != Outcome::right) throw std::runtime_error("without a fault: " + last_error_);
    }
    const std::size_t kinds = std::size(all_counted);
    for (std::size_t i = 0; i < kinds; ++i) counts.of[i] = layer_.counted(i);
    for (std::size_t i = kinds; i < faults.size(); ++i) counts.of_device.push_back(layer_.counted(i));
    return counts;
  }

  // Makes a call under a fault, and another one without.
  std::string try_case(const Case& one) {
    if (is_for_no_driver(one)) return "skipped";
    complaints_.clear();
    const Setting setting{one.beta, one.slow};
    Fault fault{one.first, one.every, one.status, functions_of(one.counted), nullptr, one.failing};
    if (one.device >= 0) fault.device = scenario_->devices().at(static_cast<std::size_t>(one.device));
    const Outcome under_fault = call(setting, {fault});
    const bool is_missed = layer_.failed().empty();
    if (under_fault == Outcome::wrong) complain("WRONG result under the fault");
    const bool must_be_right = one.counted == Counted::releases || path_.promise == Promise::right;
    if (must_be_right && under_fault != Outcome::right) complain("Error: " + last_error_);
    look_at_next(setting, one);
    const bool ends = scenario_->is_worn() && scenario_->wants_new_process();
    if (scenario_->is_worn() && !ends) scenario_->renew();
    return (ends ? "last " : "") + std::string(under_fault == Outcome::right ? "right" : "error") +
           (is_missed ? " missed" : "") + complaints_;
  }

 private:
  // If every later call fails, only clFinish can still wait, and rusticl's does not (docs/platforms.md).
  bool is_for_no_driver(const Case& one) const {
    return one.every != 0 && scenario_->is_on_copies() &&
           clgemm::describe(default_device()).platform_name == "rusticl";
  }

  void look_at_next(const Setting& setting, const Case& one) {
    Outcome next = call(setting, {});
    const bool may_be_gone = next == Outcome::lost || (next == Outcome::error && scenario_->is_worn());
    if (may_be_gone && one.every != 0) {
      scenario_->renew();
      next = call(setting, {});
    }
    if (next == Outcome::wrong) complain("WRONG result of the next call");
    if (next != Outcome::right && next != Outcome::wrong) complain("Error of the next call: " + last_error_);
  }

  // Makes a call, and returns its outcome. After the call, nothing may change C, unless the error said that
  // this may happen.
  Outcome call(const Setting& setting, const std::vector<Fault>& faults) {
    scenario_->prepare(setting.beta);
    layer_.slow_copies(setting.slow ? slow_copy : std::chrono::milliseconds{0});
    layer_.arm(faults);
    Outcome outcome = Outcome::right;
    try {
      scenario_->call();
    } catch (const Error& error) {
      last_error_ = error.what();
      outcome = outcome_of(error);
    } catch (const std::exception& other) {
      last_error_ = other.what();
      outcome = Outcome::error;
      complain("not an Error: " + last_error_);
    }
    layer_.disarm();
    layer_.slow_copies(std::chrono::milliseconds{0});
    const std::vector<float>* const c = scenario_->host_c();
    const std::vector<float> at_return = c == nullptr ? std::vector<float>{} : *c;
    layer_.finish_everything();
    if (c != nullptr && !same_bits(*c, at_return) && outcome != Outcome::in_use)
      complain("LATE: C changed when the call was over");
    if (outcome != Outcome::right) {
      if (!scenario_->is_undamaged()) complain("DAMAGE around C after an Error");
      return outcome;
    }
    return scenario_->is_right() ? Outcome::right : Outcome::wrong;
  }

  void complain(const std::string& what) {
    const std::vector<std::string> failed = layer_.failed();
    complaints_ += "|" + what + (failed.empty() ? "" : " (" + failed.front() + ")");
  }

  const Path& path_;
  FaultLayer& layer_ = FaultLayer::of_process();
  std::unique_ptr<Scenario> scenario_;
  std::string last_error_;
  std::string complaints_;
};

void answer(std::string text) {
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

long live_before = 0;

void say_what_is_left() {
  const FaultLayer& layer = FaultLayer::of_process();
  answer(layer.live_objects() != live_before ? "leaks " + layer.describe_live() : "clean");
}

std::string check_cache_in_new_process(const std::string& program) {
  return std::system(("'" + program + "' --check-cache").c_str()) == 0 ? "right" : "wrong";
}

}  // namespace

int serve(const Path& path, const std::string& program) {
  FaultLayer& layer = FaultLayer::of_process();
  live_before = layer.live_objects();
  if (path.promise == Promise::right)
    std::atexit(say_what_is_left);  // runs after what the drop-in does at exit
  std::string line;
  try {
    Calls calls(path);
    while (std::getline(std::cin, line) && line != "end") {
      const std::string rest = line.substr(std::min(line.find(' ') + 1, line.size()));
      if (line == "check") {
        answer(check_cache_in_new_process(program));
      } else if (line.rfind("count ", 0) == 0) {
        answer(to_text(calls.count(all_settings().at(std::stoul(rest)))));
      } else {
        const std::string text = calls.try_case(case_of(rest));
        answer(text);
        if (text.rfind("last", 0) == 0) return 0;
      }
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::device_not_found) throw;
    answer(std::string("none ") + error.what());
    return 0;
  }
  layer.finish_everything();
  // The drop-in keeps its device until the process ends.
  if (path.promise != Promise::right) say_what_is_left();
  return 0;
}

}  // namespace clgemm::test
