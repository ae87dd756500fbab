#include "peers/cuda_gpu.hpp"

#include <fmt/format.h>

namespace clgemm::bench {
namespace {

// Queries the PCI bus of the GPU. It is in cl_ext.h if that is new enough.
constexpr cl_device_info pci_bus = 0x4008;
constexpr cl_device_info pci_slot = 0x4009;
constexpr cl_device_info pci_domain = 0x400A;

}  // namespace

Gpu find_gpu(const CudaLibraries& cuda, const cl::Device& device) {
  cl_uint domain = 0;
  cl_uint bus = 0;
  cl_uint slot = 0;
  const auto ask = [&](cl_device_info what, cl_uint& value) {
    return clGetDeviceInfo(device(), what, sizeof value, &value, nullptr) == CL_SUCCESS;
  };
  Gpu gpu{0, "CUDA device 0, which is not known to be the OpenCL device"};
  if (ask(pci_bus, bus) && ask(pci_slot, slot)) {
    ask(pci_domain, domain);  // older drivers do not know it, and it is 0 on machines with one PCI domain
    const std::string address = fmt::format("{:04x}:{:02x}:{:02x}.0", domain, bus, slot);
    cuda.check_cuda(cuda.runtime.device_by_pci(&gpu.number, address.c_str()), "cudaDeviceGetByPCIBusId");
    gpu.where = fmt::format("GPU {}", address);
  }
  return gpu;
}

}  // namespace clgemm::bench
