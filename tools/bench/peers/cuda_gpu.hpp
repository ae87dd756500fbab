// Finds the CUDA GPU that an OpenCL device is.
#pragma once

#include <string>

#include "base/opencl.hpp"
#include "peers/cuda_objects.hpp"

namespace clgemm::bench {

struct Gpu {
  int number = 0;     // CUDA's number
  std::string where;  // described in words
};

// Finds it by its PCI address. If that is unknown, takes CUDA's first GPU.
Gpu find_gpu(const CudaLibraries& cuda, const cl::Device& device);

}  // namespace clgemm::bench
