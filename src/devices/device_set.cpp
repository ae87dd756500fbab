// The public DeviceSet: it checks a call and shares it among the devices.
#include <fmt/format.h>

#include <algorithm>
#include <clgemm/clgemm.hpp>

#include "call/arguments.hpp"
#include "call/host_batch.hpp"
#include "devices/members.hpp"
#include "devices/shared_gemm.hpp"

namespace clgemm {
namespace {

std::vector<cl::Device> devices_of(const std::vector<cl_device_id>& handles) {
  std::vector<cl::Device> result;
  for (const cl_device_id handle : handles) {
    if (handle == nullptr) throw Error(ErrorCode::invalid_argument, "a device of the list is null");
    const auto is_it = [handle](const cl::Device& other) { return other() == handle; };
    if (std::none_of(result.begin(), result.end(), is_it)) result.emplace_back(handle, true);
  }
  if (result.empty()) throw Error(ErrorCode::invalid_argument, "the list of devices is empty");
  return result;
}

}  // namespace

DeviceSet::DeviceSet(const std::string& devices)
    : state_(at_boundary([&] { return std::make_unique<State>(find_devices(devices)); })) {}

DeviceSet::DeviceSet(const std::vector<cl_device_id>& devices)
    : state_(at_boundary([&] { return std::make_unique<State>(devices_of(devices)); })) {}

DeviceSet::~DeviceSet() = default;
DeviceSet::DeviceSet(DeviceSet&&) noexcept = default;
DeviceSet& DeviceSet::operator=(DeviceSet&&) noexcept = default;

namespace {

void check_options(const Options& options) {
  if (options.scratch != nullptr)
    throw Error(ErrorCode::invalid_argument,
                "Options::scratch is a buffer of one device, but a DeviceSet has several devices",
                Argument::options);
}

void multiply(DeviceSet::State& devices, const HostBatch& batch, const Options& options) {
  switch (to_do(batch.problem)) {
    case ToDo::gemm:
      return batch.count() == 1 ? share_gemm(devices, batch.at(0), options)
                                : share_batch(devices, batch, options);
    case ToDo::scale_c:
      return scale_on_host(batch);
    case ToDo::nothing:
      return;
  }
}

}  // namespace

void DeviceSet::sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                      std::size_t n, std::size_t k, float alpha, const float* a, std::size_t lda,
                      const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc,
                      const Options& options) {
  at_boundary([&] {
    const SgemmCall call{{m, n, k}, layout, transpose_a, transpose_b, alpha, beta, lda, ldb, ldc};
    const HostBatch one = check_host_batch(call, a, b, c);
    check_options(options);
    multiply(*state_, one, options);
  });
}

void DeviceSet::sgemm_strided_batched(Layout layout, Transpose transpose_a, Transpose transpose_b,
                                      std::size_t m, std::size_t n, std::size_t k, float alpha,
                                      const float* a, std::size_t lda, std::size_t stride_a, const float* b,
                                      std::size_t ldb, std::size_t stride_b, float beta, float* c,
                                      std::size_t ldc, std::size_t stride_c, std::size_t batch_count,
                                      const Options& options) {
  at_boundary([&] {
    const SgemmCall call{{m, n, k}, layout, transpose_a, transpose_b, alpha,    beta,    lda,
                         ldb,       ldc,    batch_count, stride_a,    stride_b, stride_c};
    const HostBatch batch = check_host_batch(call, a, b, c);
    check_options(options);
    multiply(*state_, batch, options);
  });
}

void DeviceSet::sgemm_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                              std::size_t n, std::size_t k, const std::vector<float>& alphas,
                              const std::vector<const float*>& a, std::size_t lda,
                              const std::vector<const float*>& b, std::size_t ldb,
                              const std::vector<float>& betas, const std::vector<float*>& c, std::size_t ldc,
                              const Options& options) {
  at_boundary([&] {
    const SgemmCall one{{m, n, k}, layout, transpose_a, transpose_b, 1.0f, 0.0f, lda, ldb, ldc};
    const std::vector<HostBatch> batches = check_host_lists(one, {alphas, a, b, betas, c});
    check_options(options);
    for (const HostBatch& batch : batches) multiply(*state_, batch, options);
  });
}

std::string DeviceSet::explain_host(const SgemmShape& shape, const Options& options) {
  return at_boundary([&]() -> std::string {
    const Problem problem = check_host_shape(shape);
    if (to_do(problem) != ToDo::gemm) return "kernel: none, because there is nothing to compute\n";
    const std::string of_batch =
        problem.batch_count == 1 ? "" : fmt::format("batch: {} GEMMs\n", problem.batch_count);
    return of_batch + explain_shared(*state_, one_of(problem), options);
  });
}

std::vector<cl_device_id> DeviceSet::devices() const {
  std::vector<cl_device_id> result;
  for (const Member* member : state_->members()) result.push_back(member->context.device());
  return result;
}

}  // namespace clgemm
