#include "peers/cuda_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

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

}  // namespace

CudaRuntime::CudaRuntime(const SharedLibrary& library)
    : set_device(library.get<int(int)>("cudaSetDevice")),
      device_by_pci(library.get<int(int*, const char*)>("cudaDeviceGetByPCIBusId")),
      malloc(library.get<int(void**, std::size_t)>("cudaMalloc")),
      free(library.get<int(void*)>("cudaFree")),
      memcpy(library.get<int(void*, const void*, std::size_t, int)>("cudaMemcpy")),
      event_create(library.get<int(void**)>("cudaEventCreate")),
      event_destroy(library.get<int(void*)>("cudaEventDestroy")),
      event_record(library.get<int(void*, void*)>("cudaEventRecord")),
      event_synchronize(library.get<int(void*)>("cudaEventSynchronize")),
      event_elapsed(library.get<int(float*, void*, void*)>("cudaEventElapsedTime")),
      synchronize(library.get<int()>("cudaDeviceSynchronize")),
      error_text(library.get<const char*(int)>("cudaGetErrorString")) {}

Cublas::Cublas(const SharedLibrary& library)
    : create(library.get<int(void**)>("cublasCreate_v2")),
      destroy(library.get<int(void*)>("cublasDestroy_v2")),
      version(library.get<int(void*, int*)>("cublasGetVersion_v2")),
      set_math_mode(library.get<int(void*, int)>("cublasSetMathMode")),
      sgemm(library.get<int(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                            int, const float*, float*, int)>("cublasSgemm_v2")),
      sgemm_strided_batched(
          library.get<int(void*, int, int, int, int, int, const float*, const float*, int, long long,
                          const float*, int, long long, const float*, float*, int, long long, int)>(
              "cublasSgemmStridedBatched")) {}

CudaLibraries::CudaLibraries(const std::string& folder)
    : runtime_library(places(runtime_names, folder)),
      cublas_library(places(cublas_names, folder)),
      runtime(runtime_library),
      cublas(cublas_library) {}

void CudaLibraries::check_cuda(int status, const char* what) const {
  if (status == 0) return;
  throw Error(ErrorCode::internal_error, fmt::format("CUDA: {}: {}", what, runtime.error_text(status)));
}

void CudaLibraries::check_cublas(int status, const char* what) const {
  if (status == 0) return;
  throw Error(ErrorCode::internal_error, fmt::format("cuBLAS: {}: status {}", what, status));
}

}  // namespace clgemm::bench
