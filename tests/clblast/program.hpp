// The common parts of these test programs: the first device, buffers on it, checks.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <clblast.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace clblast_test {

inline int failures = 0;
inline void check(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "not so: %s\n", what.c_str());
}

inline void check_status(clblast::StatusCode status, clblast::StatusCode expected, const std::string& what) {
  check(status == expected, what + ": status " + std::to_string(static_cast<int>(status)) + " and not " +
                                std::to_string(static_cast<int>(expected)));
}

struct OpenCl {
  OpenCl() {
    cl_platform_id platforms[8] = {};
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    for (cl_uint i = 0; i < count && i < 8 && device == nullptr; ++i)
      clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, device, 0, nullptr);
  }
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};
inline OpenCl& opencl() {
  static OpenCl instance;
  return instance;
}

class Buffer {
 public:
  explicit Buffer(std::size_t bytes)
      : memory_(clCreateBuffer(opencl().context, CL_MEM_READ_WRITE, bytes, nullptr, nullptr)) {}
  explicit Buffer(const std::vector<float>& elements) : Buffer(elements.size() * sizeof(float)) {
    clEnqueueWriteBuffer(opencl().queue, memory_, CL_TRUE, 0, elements.size() * sizeof(float),
                         elements.data(), 0, nullptr, nullptr);
  }
  ~Buffer() { clReleaseMemObject(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  operator cl_mem() const { return memory_; }

  std::vector<float> read(std::size_t count) const {
    std::vector<float> result(count);
    clEnqueueReadBuffer(opencl().queue, memory_, CL_TRUE, 0, count * sizeof(float), result.data(), 0, nullptr,
                        nullptr);
    return result;
  }

 private:
  cl_mem memory_;
};

}  // namespace clblast_test
