#include "blas/device.hpp"

#include <optional>
#include <vector>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "blas/local_rank.hpp"

namespace clgemm::blas {
namespace {

Transpose transpose(bool transposed) {
  return transposed ? Transpose::yes : Transpose::no;
}

std::size_t size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "unknown";
  std::string text(bytes, '\0');
  clGetDeviceInfo(device, what, bytes, text.data(), nullptr);
  text.resize(bytes - 1);  // without its zero
  return text;
}

std::vector<cl_device_id> all_gpus() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<cl_device_id> gpus;
  for (cl_platform_id platform : platforms) {
    cl_uint more = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, nullptr, &more) != CL_SUCCESS) continue;
    gpus.resize(gpus.size() + more);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, more, gpus.data() + gpus.size() - more, nullptr);
  }
  return gpus;
}

// The GPU of this rank; null where the default device serves.
cl_device_id gpu_of_rank() {
  const std::optional<LocalRank> rank = local_rank();
  if (!rank || !environment("CLGEMM_DEVICE").empty()) return nullptr;
  const std::vector<cl_device_id> gpus = all_gpus();
  const std::string who = "local rank " + std::to_string(rank->rank) + " (" + rank->variable + "): ";
  if (gpus.empty()) {
    log(LogLevel::info, who + "no GPU, the default device");
    return nullptr;
  }
  const std::size_t turn = size(rank->rank) % gpus.size();
  log(LogLevel::info, who + "GPU " + std::to_string(turn) + " of " + std::to_string(gpus.size()) + ", " +
                          text_of(gpus[turn], CL_DEVICE_NAME));
  return gpus[turn];
}

SgemmShape shape_of(const Call& call) {
  SgemmShape shape{Layout::column_major,
                   transpose(call.transpose_a),
                   transpose(call.transpose_b),
                   size(call.m),
                   size(call.n),
                   size(call.k)};
  shape.lda = size(call.lda);
  shape.ldb = size(call.ldb);
  shape.ldc = size(call.ldc);
  return shape;
}

}  // namespace

Device::Device() {
  if (const std::string several = environment("CLGEMM_DEVICES"); !several.empty()) {
    name_ = "CLGEMM_DEVICES=" + several;
    return;
  }

  cl_device_id const gpu = gpu_of_rank();
  context_ = gpu != nullptr ? std::make_shared<Context>(gpu) : std::make_shared<Context>();
  name_ = text_of(context_->device(), CL_DEVICE_NAME) + ", driver " +
          text_of(context_->device(), CL_DRIVER_VERSION);
}

std::shared_ptr<Context> Device::context() {
  const std::lock_guard lock(mutex_);
  if (!is_open_) throw Error(ErrorCode::device_not_found, "the process is about to end");
  return context_;
}

void Device::multiply(const Call& call) {
  const auto with = [&](auto&& sgemm) {
    sgemm(Layout::column_major, transpose(call.transpose_a), transpose(call.transpose_b), size(call.m),
          size(call.n), size(call.k), call.alpha, call.a, size(call.lda), call.b, size(call.ldb), call.beta,
          call.c, size(call.ldc));
  };
  if (const auto own = context()) {
    with([&](auto... arguments) { own->sgemm(arguments...); });
  } else {
    with([](auto... arguments) { clgemm::sgemm(arguments...); });
  }
}

double Device::predicted_seconds(const Call& call) {
  const auto own = context();
  return own ? own->predicted_seconds(shape_of(call)) : clgemm::predicted_seconds(nullptr, shape_of(call));
}

void Device::close() {
  std::shared_ptr<Context> last;
  {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
    last.swap(context_);
  }
}

}  // namespace clgemm::blas
