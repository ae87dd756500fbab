#include "on_device.hpp"

#include "catch.hpp"
#include "kernel/kernel_file.hpp"
#include "reference.hpp"

namespace clgemm::test {

Context& shared_context() {
  // Never destroyed, because the OpenCL driver may already be gone at the end of the process.
  static Context* const context = new Context;
  return *context;
}

cl::Context shared_cl_context() {
  return cl::Context(shared_context().context(), true);
}

cl::Device shared_device() {
  return cl::Device(shared_context().device(), true);
}

cl::CommandQueue shared_queue() {
  return cl::CommandQueue(shared_context().queue(), true);
}

const Device& shared_device_info() {
  static const Device device = clgemm::describe(shared_device());
  return device;
}

std::vector<bool> queue_kinds() {
  const auto properties = shared_device().getInfo<CL_DEVICE_QUEUE_PROPERTIES>();
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) return {false, true};
  WARN("NOT TESTED on this device: out-of-order queues, because it has none");
  return {false};
}

cl::CommandQueue make_queue(bool out_of_order) {
  static const bool has_out_of_order = queue_kinds().size() == 2;
  const cl_command_queue_properties properties =
      out_of_order && has_out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
  return cl::CommandQueue(shared_cl_context(), shared_device(), properties);
}

cl::Buffer make_buffer(const std::vector<float>& elements, cl_mem_flags access) {
  const std::size_t bytes = elements.size() * sizeof(float);
  cl::Buffer result(shared_cl_context(), access, bytes);
  shared_queue().enqueueWriteBuffer(result, CL_TRUE, 0, bytes, elements.data());
  // A blocking write may only copy the elements from the host, and other queues do not know of it.
  shared_queue().finish();
  return result;
}

std::vector<float> read_buffer(const cl::Buffer& buffer, const cl::CommandQueue& queue) {
  const std::size_t bytes = buffer.getInfo<CL_MEM_SIZE>();
  std::vector<float> result(bytes / sizeof(float));
  queue.enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, result.data());
  return result;
}

DeviceData upload(const Data& data) {
  return {make_buffer(data.a, CL_MEM_READ_ONLY), make_buffer(data.b, CL_MEM_READ_ONLY), make_buffer(data.c)};
}

DeviceMatrix matrix_at(const cl::Buffer& buffer, const Place& place) {
  return {buffer(), place.ld, place.offset};
}

std::vector<float> run_on_device(const GemmCase& gemm, const Data& data, const Options& options) {
  const DeviceData buffers = upload(data);
  const auto& [form, shape, scalars, a, b, c] = gemm;
  shared_context().sgemm(shared_context().queue(), form.layout, form.transpose_a, form.transpose_b, shape.m,
                         shape.n, shape.k, scalars.alpha, matrix_at(buffers.a, a), matrix_at(buffers.b, b),
                         scalars.beta, matrix_at(buffers.c, c), {}, nullptr, options);
  std::vector<float> result = read_buffer(buffers.c);
  CHECK(same_bits(read_buffer(buffers.a), data.a));
  CHECK(same_bits(read_buffer(buffers.b), data.b));
  return result;
}

std::vector<float> run_on_host(const GemmCase& gemm, Data data, const Options& options) {
  const auto& [form, shape, scalars, a, b, c] = gemm;
  const Data before = data;
  shared_context().sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k,
                         scalars.alpha, data.a.data() + a.offset, a.ld, data.b.data() + b.offset, b.ld,
                         scalars.beta, data.c.data() + c.offset, c.ld, options);
  CHECK(same_bits(data.a, before.a));
  CHECK(same_bits(data.b, before.b));
  return data.c;
}

void check_result(const GemmCase& gemm, const Data& before, const std::vector<float>& c) {
  CHECK(error_ratio(gemm, before, c) <= error_bound(gemm));
  CHECK(damage_around_c(gemm, before, c).empty());
}

void check_on_device(const GemmCase& gemm, const Data& data, const Options& options) {
  check_result(gemm, data, run_on_device(gemm, data, options));
}

std::vector<std::string> kernels_to_test() {
  KernelLibrary library(kernel_folder_or_default({}));
  std::vector<std::string> result;
  for (const std::string& name : library.names(Role::gemm)) {
    result.push_back(name);
    for (const auto& variant : library.find(name).file->manifest.variants) result.push_back(variant.name);
  }
  return result;
}

}  // namespace clgemm::test
