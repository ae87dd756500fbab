// Which of CUDA's GPUs a device of OpenCL is.
#pragma once

#include <string>

#include "base/opencl.hpp"
#include "peers/cuda_objects.hpp"

namespace clgemm::bench {

struct Gpu {
  int number = 0;     // CUDA's
  std::string where;  // in words
};

// By where it is plugged in, where that is known; else CUDA's first.
Gpu find_gpu(const CudaLibraries& cuda, const cl::Device& device);

}  // namespace clgemm::bench
