// The public DeviceSet: checks, then shares.
#include <algorithm>
#include <clgemm/clgemm.hpp>

#include "call/arguments.hpp"
#include "devices/members.hpp"
#include "devices/shared_multiply.hpp"

namespace clgemm {
namespace {

std::vector<cl::Device> devices_of(const std::vector<cl_device_id>& handles) {
  std::vector<cl::Device> result;
  for (const cl_device_id handle : handles) {
    if (handle == nullptr) throw Error(ErrorCode::invalid_argument, "a device of the list is null");
    const auto is_it = [handle](const cl::Device& other) { return other() == handle; };
    if (std::none_of(result.begin(), result.end(), is_it)) result.emplace_back(handle, true);
  }
  if (result.empty()) throw Error(ErrorCode::invalid_argument, "the list of devices names none");
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

void DeviceSet::sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                      std::size_t n, std::size_t k, float alpha, const float* a, std::size_t lda,
                      const float* b, std::size_t ldb, float beta, float* c, std::size_t ldc,
                      const Options& options) {
  at_boundary([&] {
    const SgemmCall call{layout, transpose_a, transpose_b, m, n, k, alpha, beta, lda, ldb, ldc};
    const HostGemm host = check_host_gemm(call, a, b, c);
    if (options.scratch != nullptr)
      throw Error(ErrorCode::invalid_argument, "Options::scratch is of one device; a DeviceSet has several",
                  Argument::options);
    switch (to_do(host.problem)) {
      case ToDo::multiply:
        return share_multiply(*state_, host, options);
      case ToDo::scale_c:
        return scale_on_host(host);
      case ToDo::nothing:
        return;
    }
  });
}

std::string DeviceSet::explain_host(const SgemmShape& shape, const Options& options) {
  return at_boundary([&]() -> std::string {
    const Problem problem = check_host_shape(shape);
    if (to_do(problem) != ToDo::multiply) return "kernel: none, there is nothing to multiply\n";
    return explain_shared(*state_, problem, options);
  });
}

std::vector<cl_device_id> DeviceSet::devices() const {
  std::vector<cl_device_id> result;
  for (const Member* member : state_->members()) result.push_back(member->context.device());
  return result;
}

}  // namespace clgemm
