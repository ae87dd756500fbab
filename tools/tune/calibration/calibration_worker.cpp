#include "tune/calibration/calibration_worker.hpp"

#include <algorithm>
#include <chrono>
#include <clgemm/clgemm.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/opencl.hpp"
#include "context/context.hpp"
#include "tune/calibration/calibration.hpp"
#include "tune/measuring/worker_process.hpp"

namespace clgemm::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr double too_slow_ratio = 3.0;
constexpr double timed_seconds = 1.5e-3;  // of calls that are timed together
constexpr double most_calls = 200.0;      // that are timed together
constexpr double most_calls_by_device = 50.0;

Json to_json(const SampleShape& shape) {
  return {shape.m, shape.n, shape.k, shape.batch, transposes_of(shape)};
}

SampleShape read_shape(const Json& json) {
  return sample_shape({json[0], json[1], json[2]}, json[3], json[4]);
}

Options options_of(const Json& json, const std::string& kernel_folder) {
  Options options;
  options.kernel = json.at("kernel");
  options.parameters = json.at("parameters").get<Parameters>();
  options.kernel_folder = kernel_folder;
  return options;
}

// Holds A, B and C of the largest shape so far, filled.
class Matrices {
 public:
  Matrices(cl::Context context, cl::CommandQueue queue)
      : context_(std::move(context)), queue_(std::move(queue)) {}

  // Makes room for the matrices of a shape.
  void hold(const SampleShape& shape) {
    hold(a_, shape.batch * shape.m * shape.k);
    hold(b_, shape.batch * shape.k * shape.n);
    hold(c_, shape.batch * shape.m * shape.n);
  }

  DeviceMatrix a(std::size_t ld) const { return {a_.buffer(), ld}; }
  DeviceMatrix b(std::size_t ld) const { return {b_.buffer(), ld}; }
  DeviceMatrix c(std::size_t ld) const { return {c_.buffer(), ld}; }

 private:
  struct Matrix {
    cl::Buffer buffer;
    std::size_t count = 0;
  };

  void hold(Matrix& matrix, std::size_t count) const {
    if (count <= matrix.count) return;
    matrix.buffer = {};  // freed first, because both may not fit
    matrix = {cl::Buffer(context_, CL_MEM_READ_WRITE, count * sizeof(float)), count};
    fill(queue_, matrix.buffer, count);
  }

  static void fill(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t count) {
    std::mt19937 random(1);
    std::vector<float> piece(std::min<std::size_t>(count, std::size_t{1} << 20));
    for (float& value : piece) value = static_cast<float>(random() >> 8) / 8388608.0F - 1.0F;
    for (std::size_t done = 0; done < count; done += piece.size()) {
      const std::size_t now = std::min(piece.size(), count - done);
      queue.enqueueWriteBuffer(buffer, CL_TRUE, done * sizeof(float), now * sizeof(float), piece.data());
    }
  }

  cl::Context context_;
  cl::CommandQueue queue_;
  Matrix a_, b_, c_;
};

// Keeps a GPU busy while the host enqueues the calls that are timed.
class Occupation {
 public:
  Occupation(const cl::Context& context, const cl::CommandQueue& queue)
      : from_(context, CL_MEM_READ_WRITE, bytes), to_(context, CL_MEM_READ_WRITE, bytes) {
    copy(queue, 2);
    queue.finish();
    const auto start = std::chrono::steady_clock::now();
    constexpr int some = 8;
    copy(queue, some);
    queue.finish();
    const double one = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / some;
    count_ = static_cast<int>(std::clamp(occupied_seconds / one, 1.0, 1000.0));
  }

  void enqueue(const cl::CommandQueue& queue) const { copy(queue, count_); }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 26;
  static constexpr double occupied_seconds = 4e-3;  // 50 calls of four launches on a slow host

  void copy(const cl::CommandQueue& queue, int count) const {
    for (int i = 0; i < count; ++i) queue.enqueueCopyBuffer(from_, to_, 0, 0, bytes);
  }

  cl::Buffer from_;
  cl::Buffer to_;
  int count_ = 1;
};

double seconds_between_ends(const cl::Event& first, const cl::Event& last) {
  const cl_ulong from = first.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  const cl_ulong to = last.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  return to > from ? static_cast<double>(to - from) * 1e-9 : 0.0;
}

class CalibrationWorker {
 public:
  CalibrationWorker(const std::string& device, const std::string& kernel_folder)
      : device_(device.empty() ? default_device() : find_device(device)),
        cl_context_(device_),
        queue_(cl_context_, device_, CL_QUEUE_PROFILING_ENABLE),
        context_(queue_()),
        matrices_(cl_context_, queue_),
        kernel_folder_(kernel_folder),
        has_clock_(describe(device_).kind != DeviceKind::cpu) {}

  Json answer(const Json& question) {
    if (question.contains("shapes")) return build(question);
    if (question.contains("host")) return host();
    try {
      return {{"seconds", time(question)}, {"failure", ""}};
    } catch (const Error& error) {
      return {{"seconds", 0.0}, {"failure", error.what()}};
    }
  }

 private:
  Json build(const Json& question) {
    const Options options = options_of(question, kernel_folder_);
    for (const Json& json : question.at("shapes")) {
      const SampleShape sample = read_shape(json);
      SgemmShape shape;
      shape.transpose_a = sample.transpose_a ? Transpose::yes : Transpose::no;
      shape.transpose_b = sample.transpose_b ? Transpose::yes : Transpose::no;
      shape.m = sample.m;
      shape.n = sample.n;
      shape.k = sample.k;
      if (sample.batch > 1) {
        shape.batch_count = sample.batch;
        shape.stride_a = sample.m * sample.k;
        shape.stride_b = sample.k * sample.n;
      }
      try {
        context_.prepare({shape}, options);
      } catch (const Error&) {
        continue;  // the kernel does not suit the shape, or measuring will tell
      }
    }
    state_of(context_).finish_keeping();  // the parent may end this process as soon as it has the answer
    return {{"failure", ""}};
  }

  // Makes a call, and returns its event in `done` if that is not null.
  void call(const SampleShape& shape, const Options& options, cl::Event* done = nullptr) {
    cl_event event = nullptr;
    cl_event* const wanted = done == nullptr ? nullptr : &event;
    const auto [m, n, k] = static_cast<const GemmSize&>(shape);
    const Transpose op_a = shape.transpose_a ? Transpose::yes : Transpose::no;
    const Transpose op_b = shape.transpose_b ? Transpose::yes : Transpose::no;
    const DeviceMatrix a = matrices_.a(shape.transpose_a ? m : k);
    const DeviceMatrix b = matrices_.b(shape.transpose_b ? k : n);
    const DeviceMatrix c = matrices_.c(n);
    if (shape.batch == 1) {
      context_.sgemm(queue_(), Layout::row_major, op_a, op_b, m, n, k, 1.0F, a, b, 0.0F, c, {}, wanted,
                     options);
    } else {
      context_.sgemm_strided_batched(queue_(), Layout::row_major, op_a, op_b, m, n, k, 1.0F, a, m * k, b,
                                     k * n, 0.0F, c, m * n, shape.batch, {}, wanted, options);
    }
    if (done != nullptr) *done = cl::Event(event);
  }

  double by_host(const SampleShape& shape, const Options& options, int calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call(shape, options);
    queue_.finish();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
  }

  double by_device(const SampleShape& shape, const Options& options, int calls) {
    cl::Event first;
    cl::Event last;
    if (!occupation_) occupation_.emplace(cl_context_, queue_);
    occupation_->enqueue(queue_);
    call(shape, options, &first);
    for (int i = 1; i < calls; ++i) call(shape, options);
    call(shape, options, &last);
    queue_.finish();
    return seconds_between_ends(first, last) / calls;
  }

  double time(const Json& question) {
    const SampleShape shape = read_shape(question.at("shape"));
    const Options options = options_of(question, kernel_folder_);
    matrices_.hold(shape);
    by_host(shape, options, 1);
    const double once = by_host(shape, options, 1);
    const double best = question.at("best_seconds");
    const double most = has_clock_ ? most_calls_by_device : most_calls;
    const int calls = static_cast<int>(std::clamp(timed_seconds / once, 2.0, most));
    if (best > 0.0 && once > too_slow_ratio * best + 1e-4) return once;
    return has_clock_ ? by_device(shape, options, calls) : by_host(shape, options, calls);
  }

  // Returns the shortest of many times to enqueue a call of one launch, and of three.
  Json host() {
    constexpr SampleShape small{{17, 17, 17}};
    matrices_.hold(small);
    const auto seconds_of = [&](const Options& options) {
      constexpr int calls = 20;
      double least = by_host(small, options, 1);
      for (int i = 0; i < 50; ++i) {
        const auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < calls; ++k) call(small, options);
        least = std::min(
            least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls);
        queue_.finish();
      }
      return least;
    };
    Options in_place;
    in_place.kernel = "naive";
    Options packed;
    packed.kernel = "tiled";
    const double one = seconds_of(in_place);
    return {{"call", one}, {"launch", std::max(seconds_of(packed) - one, 0.0) / 2.0}};
  }

  cl::Device device_;
  cl::Context cl_context_;
  cl::CommandQueue queue_;
  Context context_;
  Matrices matrices_;
  std::string kernel_folder_;
  bool has_clock_;  // true for a GPU, because its events have times
  std::optional<Occupation> occupation_;
};

}  // namespace

std::string write_build_question(const Config& config, const std::vector<SampleShape>& shapes) {
  // These decide which program a shape needs, and which kernels it suits.
  const auto form_of = [](const SampleShape& shape) {
    constexpr std::size_t few = 16;
    const std::size_t lda = shape.transpose_a && shape.m != 1 ? shape.m : shape.k;
    const std::size_t ldb = shape.transpose_b || shape.n == 1 ? shape.k : shape.n;
    return std::tuple(shape.transpose_a, shape.transpose_b, lda % 4 == 0, ldb % 4 == 0, shape.m <= few,
                      shape.n <= few, shape.n == 1, shape.batch > 1);
  };
  std::set<decltype(form_of(shapes.front()))> forms;
  Json some = Json::array();
  for (const SampleShape& shape : shapes) {
    if (forms.insert(form_of(shape)).second) some.push_back(to_json(shape));
  }
  return Json{{"shapes", some}, {"kernel", config.kernel}, {"parameters", config.parameters}}.dump();
}

std::string write_timing_question(const SampleShape& shape, const Config& config, double best_seconds) {
  return Json{{"shape", to_json(shape)},
              {"kernel", config.kernel},
              {"parameters", config.parameters},
              {"best_seconds", best_seconds}}
      .dump();
}

std::string write_host_question() {
  return Json{{"host", true}}.dump();
}

HostSeconds read_host(const std::string& line) {
  const Json json = Json::parse(line);
  return {json.at("call"), json.at("launch")};
}

Timing read_timing(const std::string& line) {
  const Json json = Json::parse(line);
  return {json.at("seconds"), json.at("failure")};
}

void run_calibration_worker(const std::string& device, const std::string& kernel_folder) {
  AnsweringProcess process;
  CalibrationWorker worker(device, kernel_folder);
  process.run([&](const std::string& line) {
    return worker.answer(Json::parse(line)).dump(-1, ' ', true, Json::error_handler_t::replace);
  });
}

}  // namespace clgemm::tune
