#include "peers/cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"

namespace clgemm::bench {
namespace {

// The newest comes first. The runtime of CUDA 11 has a minor number in its name.
constexpr const char* runtime_names[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
constexpr const char* cublas_names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
// Folders below /usr/local/cuda and similar ones.
constexpr const char* installed_in[] = {"targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib64"};

std::vector<std::string> folders() {
  namespace fs = std::filesystem;
  std::vector<fs::path> toolkits;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator("/usr/local", failure)) {
    if (entry.path().filename().string().starts_with("cuda")) toolkits.push_back(entry.path());
  }
  std::sort(toolkits.begin(), toolkits.end());
  std::vector<std::string> result;
  for (const char* folder : installed_in) {
    for (const fs::path& toolkit : toolkits) {
      if (fs::exists(toolkit / folder, failure)) result.push_back((toolkit / folder).string());
    }
  }
  return result;
}

// Returns the names and paths to try, in this order.
template <std::size_t count>
std::vector<std::string> places(const char* const (&names)[count], const std::string& folder) {
  std::vector<std::string> result;
  for (const char* name : names) {
    if (!folder.empty()) {
      result.push_back(folder + "/" + name);
      continue;
    }
    result.emplace_back(name);
    for (const std::string& place : folders()) result.push_back(place + "/" + name);
  }
  return result;
}

// Queries the PCI bus of the GPU. It is in cl_ext.h if that is new enough.
constexpr cl_device_info pci_bus = 0x4008;
constexpr cl_device_info pci_slot = 0x4009;
constexpr cl_device_info pci_domain = 0x400A;

}  // namespace

Cuda::Cuda(const std::string& folder)
    : runtime(places(runtime_names, folder)), cublas(places(cublas_names, folder)) {}

void Cuda::check(int status, const char* what) const {
  if (status == 0) return;
  throw Error(ErrorCode::internal_error, fmt::format("CUDA: {}: {}", what, error_text(status)));
}

void Cuda::check_cublas(int status, const char* what) const {
  if (status == 0) return;
  throw Error(ErrorCode::internal_error, fmt::format("cuBLAS: {}: status {}", what, status));
}

CudaObject Cuda::allocate(std::size_t bytes) const {
  void* memory = nullptr;
  check(malloc(&memory, bytes), "cudaMalloc");
  return {memory, free};
}

CudaObject Cuda::make_event() const {
  void* event = nullptr;
  check(event_create(&event), "cudaEventCreate");
  return {event, event_destroy};
}

CudaObject Cuda::make_cublas(int math) const {
  void* handle = nullptr;
  check_cublas(create(&handle), "cublasCreate");
  CudaObject object{handle, destroy};
  check_cublas(set_math_mode(handle, math), "cublasSetMathMode");
  return object;
}

std::string Cuda::cublas_version() const {
  int number = 0;
  check_cublas(version(make_cublas(0).get(), &number), "cublasGetVersion");
  // Since version 11, 130102 means 13.1.2.
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

CublasCall::CublasCall(const SgemmCall& call, const float* a, const float* b)
    : m(call.m),
      n(call.n),
      first{a, call.transpose_a == Transpose::yes ? 1 : 0, call.lda, call.stride_a},
      second{b, call.transpose_b == Transpose::yes ? 1 : 0, call.ldb, call.stride_b} {
  if (call.layout == Layout::column_major) return;
  std::swap(m, n);
  std::swap(first, second);
}

Gpu find_gpu(const Cuda& cuda, const cl::Device& device) {
  cl_uint domain = 0;
  cl_uint bus = 0;
  cl_uint slot = 0;
  const auto ask = [&](cl_device_info what, cl_uint& value) {
    return clGetDeviceInfo(device(), what, sizeof value, &value, nullptr) == CL_SUCCESS;
  };
  Gpu gpu{0, "CUDA device 0, which may not be the OpenCL device"};
  if (ask(pci_bus, bus) && ask(pci_slot, slot)) {
    ask(pci_domain, domain);  // older drivers do not know it, and it is 0 on machines with one PCI domain
    const std::string address = fmt::format("{:04x}:{:02x}:{:02x}.0", domain, bus, slot);
    cuda.check(cuda.device_by_pci(&gpu.number, address.c_str()), "cudaDeviceGetByPCIBusId");
    gpu.where = fmt::format("GPU {}", address);
  }
  return gpu;
}

}  // namespace clgemm::bench
