#include "tune/measuring/worker.hpp"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/device_health.hpp"
#include "base/error.hpp"
#include "common/statistics.hpp"
#include "measuring/check.hpp"
#include "measuring/contestant.hpp"
#include "tune/measuring/worker_process.hpp"

namespace clgemm::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr double least_ms = 10.0;  // of runs that are evaluated together; short ones are repeated more often
constexpr std::size_t most_runs = 60;
constexpr double most_ms = 4000.0;
constexpr double check_budget = 2e8;  // multiply-adds of the reference

Question read_question(const std::string& line) {
  const Json json = Json::parse(line);
  Question question;
  question.trial.size = {json.at("m"), json.at("n"), json.at("k")};
  question.trial.config = {json.at("kernel"), json.at("parameters").get<Parameters>()};
  question.trial.care = Care{json.at("care").get<int>()};
  question.transpose_a = json.at("transpose_a");
  question.transpose_b = json.at("transpose_b");
  question.worst_ms = json.at("worst_ms");
  question.gap = json.at("gap");
  question.beta = json.at("beta");
  return question;
}

// The data of one shape on the device, with the expected result.
struct Shape {
  Shape(const cl::CommandQueue& queue, const bench::Size& size, const bench::GemmKind& kind_of_call)
      : kind(kind_of_call),
        host(bench::make_host_data(bench::call_of(kind, size))),
        reference(host, check_budget),
        device(queue, host) {}

  bench::GemmKind kind;
  bench::HostData host;
  bench::Reference reference;
  bench::DeviceData device;
};

std::string what_is_wrong(const bench::Reference& reference, bench::Contestant& contestant) {
  const bench::CheckResult check =
      reference.check(contestant.result(), contestant.bound_of_random(reference.k()));
  if (check.passed) return contestant.damage();
  return fmt::format("wrong result: the error ratio is {:.3g}, but at most {:.3g} is allowed",
                     check.error_ratio, check.bound);
}

class Worker {
 public:
  Worker(const std::string& device, const std::string& kernel_folder)
      : kernel_folder_(kernel_folder),
        device_(device.empty() ? default_device() : find_device(device)),
        context_(device_),
        queue_(context_, device_, CL_QUEUE_PROFILING_ENABLE) {}

  Outcome measure(const Question& question) {
    try {
      return at_boundary([&] { return try_measure(question); });
    } catch (const Error& error) {
      const std::string text = error.what();
      return {0.0, kind_of(error) + text.substr(0, text.find('\n')), 0.0};
    }
  }

 private:
  const char* kind_of(const Error& error) const {
    // The bench's own commands may be the first to show that the device is lost.
    if (!still_works(queue_.getInfo<CL_QUEUE_CONTEXT>(), device_)) return Outcome::loss;
    return error.code() == ErrorCode::device_limit_exceeded ? Outcome::refusal : "";
  }

  Outcome try_measure(const Question& question) {
    const Shape& shape = shape_of(question);
    Options options;
    options.kernel = question.trial.config.kernel;
    options.parameters = question.trial.config.parameters;
    options.kernel_folder = kernel_folder_;
    const auto contestant = bench::make_kernel_contestant(shape.device, options);
    contestant->run();
    if (auto wrong = what_is_wrong(shape.reference, *contestant); !wrong.empty()) return {0.0, wrong, 0.0};
    const double ms = time_runs(*contestant, question);
    return {ms, what_is_wrong(shape.reference, *contestant), 0.0};
  }

  static double time_runs(bench::Contestant& contestant, const Question& question) {
    std::vector<double> operation_ms;
    std::vector<double> call_ms;
    double spent = 0.0;
    const auto wanted = static_cast<std::size_t>(question.trial.care);
    while (operation_ms.size() < most_runs && (operation_ms.size() < wanted || spent < least_ms)) {
      const bench::RunTimes times = contestant.run();
      operation_ms.push_back(times.operation_ms);
      call_ms.push_back(times.call_ms);
      spent += times.call_ms;
      const bool is_hopeless = question.worst_ms > 0.0 && times.call_ms > question.worst_ms;
      if (spent > most_ms || is_hopeless) break;
    }
    const double operation = bench::median(operation_ms);
    const double call = bench::median(call_ms);
    return bench::trusted_clock(operation, call) == bench::Clock::device ? operation : call;
  }

  const Shape& shape_of(const Question& question) {
    const bench::GemmKind kind{.transpose_a = question.transpose_a ? Transpose::yes : Transpose::no,
                               .transpose_b = question.transpose_b ? Transpose::yes : Transpose::no,
                               .beta = question.beta,
                               .gap = question.gap};
    if (!shape_ || !(shape_->host.size() == question.trial.size) || !(shape_->kind == kind)) {
      shape_ = nullptr;  // two large shapes may not fit the device
      shape_ = std::make_unique<Shape>(queue_, question.trial.size, kind);
    }
    return *shape_;
  }

  std::string kernel_folder_;
  cl::Device device_;
  cl::Context context_;  // not every implementation lets a queue keep it
  cl::CommandQueue queue_;
  std::unique_ptr<Shape> shape_;
};

}  // namespace

std::string write_question(const Question& question) {
  const Trial& trial = question.trial;
  return Json{{"m", trial.size.m},
              {"n", trial.size.n},
              {"k", trial.size.k},
              {"kernel", trial.config.kernel},
              {"parameters", trial.config.parameters},
              {"care", static_cast<int>(trial.care)},
              {"transpose_a", question.transpose_a},
              {"transpose_b", question.transpose_b},
              {"worst_ms", question.worst_ms},
              {"gap", question.gap},
              {"beta", question.beta}}
      .dump();
}

Outcome read_answer(const std::string& line) {
  const Json json = Json::parse(line);
  return {json.at("ms"), json.at("failure"), 0.0};
}

void run_worker(const std::string& device, const std::string& kernel_folder) {
  AnsweringProcess process;
  Worker worker(device, kernel_folder);
  process.run([&](const std::string& line) {
    const Outcome outcome = worker.measure(read_question(line));
    return Json{{"ms", outcome.ms}, {"failure", outcome.failure}}.dump(-1, ' ', true,
                                                                       Json::error_handler_t::replace);
  });
}

}  // namespace clgemm::tune
