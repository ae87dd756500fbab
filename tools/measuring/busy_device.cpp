#include "measuring/busy_device.hpp"

namespace clgemm::bench {
namespace {

// A chain of steps that depend on each other.
const char* const source =
    "__kernel void keep_busy(__global float* result, const int rounds) {\n"
    "  float value = *result;\n"
    "  for (int round = 0; round < rounds; ++round) value = value * 0.5f + 1.0f;\n"
    "  *result = value;\n"
    "}\n";

constexpr cl_int first_rounds = 100'000;
constexpr cl_int most_rounds = 100'000'000;

double run_ms(const cl::CommandQueue& queue, const cl::Kernel& kernel) {
  cl::Event event;
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1), nullptr, &event);
  event.wait();
  const auto begin_ns = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
  const auto end_ns = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  return static_cast<double>(end_ns - begin_ns) * 1e-6;
}

}  // namespace

BusyDevice::BusyDevice(const cl::CommandQueue& queue) : queue_(queue) {
  const auto device = queue.getInfo<CL_QUEUE_DEVICE>();
  if ((device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_GPU) == 0) return;
  const auto context = queue.getInfo<CL_QUEUE_CONTEXT>();
  cl::Program program(context, std::string(source));
  program.build({device}, "");
  cl::Kernel kernel(program, "keep_busy");
  float zero = 0.0f;
  result_ = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, &zero);
  kernel.setArg(0, result_);
  kernel.setArg(1, first_rounds);
  run_ms(queue, kernel);
  const double ms = run_ms(queue, kernel);
  const double rounds = ms > 0.0 ? busy_ms / ms * first_rounds : double{most_rounds};
  if (rounds >= most_rounds) return;  // the device's clock is useless, like rusticl's
  kernel.setArg(1, static_cast<cl_int>(rounds));
  kernel_ = std::move(kernel);
}

void BusyDevice::enqueue() const {
  queue_.enqueueNDRangeKernel(*kernel_, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
}

}  // namespace clgemm::bench
