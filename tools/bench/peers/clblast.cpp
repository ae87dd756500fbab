// CLBlast with its own parameters, and CLBlast with the parameters from its tuner's files. The library is
// loaded while the program runs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/platform/library.hpp"
#include "peers/blas_values.hpp"
#include "peers/clblast_tuned_file.hpp"
#include "peers/peer.hpp"
#include "peers/shared_library.hpp"

namespace clgemm::bench {
namespace {

// From clblast_c.h and clblast.h, whose enumerations are ints.
constexpr int success = 0;
constexpr int single_precision = 32;
using Values = std::unordered_map<std::string, std::size_t>;
using ClblastParameters = std::map<std::string, Values>;  // by the name of CLBlast's kernel, such as "Xgemm"
using Retrieve = int(cl_device_id device, const std::string& kernel, int precision, Values& values);
using Override = int(cl_device_id device, const std::string& kernel, int precision, const Values& values);

// The functions that query and set parameters are called by their C++ names (the first has no C version), as
// mangled by GCC's standard library, with which all distributions build CLBlast.
constexpr const char* retrieve_name =
    "_ZN7clblast18RetrieveParametersEP13_cl_device_idRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
    "NS_9PrecisionERSt13unordered_mapIS7_mSt4hashIS7_ESt8equal_toIS7_ESaISt4pairIS8_mEEE";
constexpr const char* override_name =
    "_ZN7clblast18OverrideParametersEP13_cl_device_idRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
    "NS_9PrecisionERKSt13unordered_mapIS7_mSt4hashIS7_ESt8equal_toIS7_ESaISt4pairIS8_mEEE";

struct Clblast {
  SharedLibrary library{std::vector<std::string>{"libclblast.so.1", "libclblast.so"}};
  int (*sgemm)(int layout, int transpose_a, int transpose_b, std::size_t m, std::size_t n, std::size_t k,
               float alpha, cl_mem a, std::size_t offset_a, std::size_t lda, cl_mem b, std::size_t offset_b,
               std::size_t ldb, float beta, cl_mem c, std::size_t offset_c, std::size_t ldc,
               cl_command_queue* queue, cl_event* event) = library.get("CLBlastSgemm");
  int (*sgemm_strided_batched)(int layout, int transpose_a, int transpose_b, std::size_t m, std::size_t n,
                               std::size_t k, float alpha, cl_mem a, std::size_t offset_a, std::size_t lda,
                               std::size_t stride_a, cl_mem b, std::size_t offset_b, std::size_t ldb,
                               std::size_t stride_b, float beta, cl_mem c, std::size_t offset_c,
                               std::size_t ldc, std::size_t stride_c, std::size_t batch_count,
                               cl_command_queue* queue,
                               cl_event* event) = library.get("CLBlastSgemmStridedBatched");
};

// Loads the library at first use. Throws std::runtime_error if it is not installed.
const Clblast& clblast() {
  static const Clblast instance;
  return instance;
}

class ClblastContestant final : public OpenClContestant {
 public:
  using OpenClContestant::OpenClContestant;

  // CLBlast has no such call. This does what a program does around CLBlast's call, with existing buffers.
  HostRun run_host_to_host() override {
    const StoredMatrices& stored = data().stored();
    const cl::CommandQueue& queue = data().queue();
    const auto write = [&](const DeviceMatrix& to, const std::vector<float>& values) {
      queue.enqueueWriteBuffer(cl::Buffer(to.buffer, true), CL_FALSE, to.offset * sizeof(float),
                               values.size() * sizeof(float), values.data());
    };
    return host_run(data(), [&](std::vector<float>& c) {
      write(data().a(), stored.a);
      write(data().b(), stored.b);
      if (data().call().beta != 0.0f) write(data().c(), c);
      enqueue();
      queue.enqueueReadBuffer(cl::Buffer(data().c().buffer, true), CL_TRUE, data().c().offset * sizeof(float),
                              c.size() * sizeof(float), c.data());
    });
  }

 private:
  void enqueue() override {
    const SgemmCall& call = data().call();
    const DeviceMatrix a = data().a();
    const DeviceMatrix b = data().b();
    const DeviceMatrix c = data().c();
    cl_command_queue queue = data().queue()();
    const int layout = blas_layout(call.layout);
    const int transpose_a = blas_transpose(call.transpose_a);
    const int transpose_b = blas_transpose(call.transpose_b);
    const int status =
        call.batch_count == 1
            ? clblast().sgemm(layout, transpose_a, transpose_b, call.m, call.n, call.k, call.alpha, a.buffer,
                              a.offset, a.ld, b.buffer, b.offset, b.ld, call.beta, c.buffer, c.offset, c.ld,
                              &queue, nullptr)
            : clblast().sgemm_strided_batched(layout, transpose_a, transpose_b, call.m, call.n, call.k,
                                              call.alpha, a.buffer, a.offset, a.ld, call.stride_a, b.buffer,
                                              b.offset, b.ld, call.stride_b, call.beta, c.buffer, c.offset,
                                              c.ld, call.stride_c, call.batch_count, &queue, nullptr);
    if (status != success) {
      throw Error(ErrorCode::opencl_error, fmt::format("CLBlast failed: status {}", status));
    }
  }
};

// CLBlast has one set of parameters for each device in the whole process. These are in force while the object
// is alive, and then the previous ones are restored. CLBlast's compiled programs stay, because it finds them
// by their parameters.
class ParametersInForce {
 public:
  ParametersInForce(cl_device_id device, const ClblastParameters& parameters)
      : device_(device),
        retrieve_(clblast().library.get(retrieve_name)),
        override_(clblast().library.get(override_name)) {
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
  void put(const std::string& kernel, const Values& values) {
    Values previous;
    int status = retrieve_(device_, kernel, single_precision, previous);
    if (status == success) status = override_(device_, kernel, single_precision, values);
    if (status != success) {
      throw std::runtime_error(
          fmt::format("CLBlast does not take these parameters for {}: status {}", kernel, status));
    }
    previous_[kernel] = std::move(previous);
  }

  void restore() noexcept {
    for (const auto& [kernel, values] : previous_) override_(device_, kernel, single_precision, values);
  }

  cl_device_id device_;
  Retrieve* retrieve_;
  Override* override_;
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

// Only the name of the library's file has the version: "libclblast.so.1.5.3".
std::string clblast_version() {
  const std::string path = library_file_of(reinterpret_cast<const void*>(clblast().sgemm));
  std::error_code error;
  const std::string file = std::filesystem::canonical(path, error).filename().string();
  constexpr std::string_view before = ".so.";
  const std::size_t at = file.find(before);
  return error || at == std::string::npos ? "unknown" : file.substr(at + before.size());
}

// "Xgemm KREG=1 KWG=32 ... tuned on NVIDIA H200"
std::string describe(const TunedKernel& kernel) {
  std::map<std::string, std::size_t> sorted(kernel.parameters.begin(), kernel.parameters.end());
  std::vector<std::string> words = {kernel.kernel};
  for (const auto& [name, value] : sorted) words.push_back(fmt::format("{}={}", name, value));
  if (!kernel.device.empty()) words.push_back("tuned on " + kernel.device);
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<TunedKernel> read_files(const std::string& comma_separated) {
  std::vector<TunedKernel> kernels;
  std::istringstream files(comma_separated);
  for (std::string file; std::getline(files, file, ',');) kernels.push_back(read_tuned_kernel(file));
  return best_of_each_kernel(kernels);
}

}  // namespace

std::vector<Peer> make_clblast(const PeerRequest& request, const cl::Device& /*device*/) {
  return {{{request.name, clblast_version(), "its default parameters", {}},
           [](const DeviceData& data) { return std::make_unique<ClblastContestant>(data); }}};
}

std::vector<Peer> make_tuned_clblast(const PeerRequest& request, const cl::Device& device) {
  ClblastParameters parameters;
  std::vector<std::string> settings;
  for (const TunedKernel& kernel : read_files(request.value)) {
    parameters[kernel.kernel] = kernel.parameters;
    settings.push_back(describe(kernel));
  }
  const ParametersInForce tried(device(), parameters);  // throws if CLBlast does not accept them
  return {
      {{request.name, clblast_version(), fmt::format("{}", fmt::join(settings, "; ")), {}},
       [parameters](const DeviceData& data) { return std::make_unique<TunedContestant>(data, parameters); }}};
}

}  // namespace clgemm::bench
