// CLBlast's call; with other parameters than it ships, where these are given.
#include "peers/clblast.hpp"

#include <fmt/format.h>

#include <stdexcept>

#ifdef CLGEMM_BENCH_HAS_CLBLAST

#include <clblast.h>

#include "base/error.hpp"

namespace clgemm::bench {
namespace {

clblast::Transpose to_clblast(Transpose transpose) {
  return transpose == Transpose::yes ? clblast::Transpose::kYes : clblast::Transpose::kNo;
}

class ClblastContestant final : public OpenClContestant {
 public:
  using OpenClContestant::OpenClContestant;

  // CLBlast has no such call: what a program does around its own, with buffers that are there already.
  HostRun run_host_to_host() override {
    const StoredMatrices& stored = data().stored();
    std::vector<float> c = stored.c;
    const auto start = std::chrono::steady_clock::now();
    write(data().a(), stored.a);
    write(data().b(), stored.b);
    if (data().call().beta != 0.0f) write(data().c(), c);
    enqueue();
    read_c(c);
    const double ms = ms_since(start);
    return {ms, c_as_row_major(data().call(), c)};
  }

 private:
  void write(const DeviceMatrix& matrix, const std::vector<float>& values) const {
    const cl_int status =
        clEnqueueWriteBuffer(data().queue()(), matrix.buffer, CL_FALSE, 0, values.size() * sizeof(float),
                             values.data(), 0, nullptr, nullptr);
    if (status != CL_SUCCESS) throw Error(ErrorCode::opencl_error, fmt::format("a write failed: {}", status));
  }

  void read_c(std::vector<float>& c) const {
    const cl_int status = clEnqueueReadBuffer(data().queue()(), data().c().buffer, CL_TRUE, 0,
                                              c.size() * sizeof(float), c.data(), 0, nullptr, nullptr);
    if (status != CL_SUCCESS) throw Error(ErrorCode::opencl_error, fmt::format("a read failed: {}", status));
  }

  void enqueue() override {
    const SgemmCall& call = data().call();
    const DeviceMatrix a = data().a();
    const DeviceMatrix b = data().b();
    const DeviceMatrix c = data().c();
    cl_command_queue queue = data().queue()();
    const auto layout =
        call.layout == Layout::row_major ? clblast::Layout::kRowMajor : clblast::Layout::kColMajor;
    const clblast::Transpose transpose_a = to_clblast(call.transpose_a);
    const clblast::Transpose transpose_b = to_clblast(call.transpose_b);
    const clblast::StatusCode status =
        call.batch_count == 1
            ? clblast::Gemm<float>(layout, transpose_a, transpose_b, call.m, call.n, call.k, call.alpha,
                                   a.buffer, a.offset, a.ld, b.buffer, b.offset, b.ld, call.beta, c.buffer,
                                   c.offset, c.ld, &queue)
            : clblast::GemmStridedBatched<float>(layout, transpose_a, transpose_b, call.m, call.n, call.k,
                                                 call.alpha, a.buffer, a.offset, a.ld, call.stride_a,
                                                 b.buffer, b.offset, b.ld, call.stride_b, call.beta, c.buffer,
                                                 c.offset, c.ld, call.stride_c, call.batch_count, &queue);
    if (status != clblast::StatusCode::kSuccess) {
      throw Error(ErrorCode::opencl_error,
                  fmt::format("CLBlast failed: status {}", static_cast<int>(status)));
    }
  }
};

// CLBlast keeps one set of parameters a device for the whole process. These are in force as long as this
// lives; then what was there before. Its compiled programs stay: it looks for them by their parameters.
class ParametersInForce {
 public:
  ParametersInForce(cl_device_id device, const ClblastParameters& parameters) : device_(device) {
    try {
      for (const auto& [kernel, values] : parameters) put(kernel, values);
    } catch (...) {
      restore();
      throw;
    }
  }
  ~ParametersInForce() { restore(); }
  ParametersInForce(const ParametersInForce&) = delete;
  ParametersInForce& operator=(const ParametersInForce&) = delete;

 private:
  void put(const std::string& kernel, const std::unordered_map<std::string, std::size_t>& values) {
    std::unordered_map<std::string, std::size_t> previous;
    auto status = clblast::RetrieveParameters(device_, kernel, clblast::Precision::kSingle, previous);
    if (status == clblast::StatusCode::kSuccess) {
      status = clblast::OverrideParameters(device_, kernel, clblast::Precision::kSingle, values);
    }
    if (status != clblast::StatusCode::kSuccess) {
      throw std::runtime_error(fmt::format("CLBlast does not take these parameters for {}: status {}", kernel,
                                           static_cast<int>(status)));
    }
    previous_[kernel] = std::move(previous);
  }

  void restore() noexcept {
    for (const auto& [kernel, values] : previous_) {
      clblast::OverrideParameters(device_, kernel, clblast::Precision::kSingle, values);
    }
  }

  cl_device_id device_;
  ClblastParameters previous_;
};

class TunedContestant final : public Contestant {
 public:
  TunedContestant(const DeviceData& data, ClblastParameters parameters)
      : untuned_(data),
        device_(data.queue().getInfo<CL_QUEUE_DEVICE>()),
        parameters_(std::move(parameters)) {}

  RunTimes run() override {
    const ParametersInForce in_force(device_(), parameters_);
    return untuned_.run();
  }
  std::vector<float> result() override { return untuned_.result(); }
  HostRun run_host_to_host() override {
    const ParametersInForce in_force(device_(), parameters_);
    return untuned_.run_host_to_host();
  }

 private:
  ClblastContestant untuned_;
  cl::Device device_;
  ClblastParameters parameters_;
};

}  // namespace

std::unique_ptr<Contestant> make_clblast_contestant(const DeviceData& data, ClblastParameters parameters) {
  if (parameters.empty()) return std::make_unique<ClblastContestant>(data);
  return std::make_unique<TunedContestant>(data, std::move(parameters));
}

std::string clblast_version() {
  return fmt::format("{}.{}.{}", CLBLAST_VERSION_MAJOR, CLBLAST_VERSION_MINOR, CLBLAST_VERSION_PATCH);
}

void try_parameters(cl_device_id device, const ClblastParameters& parameters) {
  const ParametersInForce in_force(device, parameters);
}

}  // namespace clgemm::bench

#else

namespace clgemm::bench {
namespace {

[[noreturn]] void throw_missing() {
  throw std::runtime_error("this clgemm-bench was built without it");
}

}  // namespace

std::unique_ptr<Contestant> make_clblast_contestant(const DeviceData& /*data*/,
                                                    ClblastParameters /*parameters*/) {
  throw_missing();
}

std::string clblast_version() {
  throw_missing();
}

void try_parameters(cl_device_id /*device*/, const ClblastParameters& /*parameters*/) {
  throw_missing();
}

}  // namespace clgemm::bench

#endif
