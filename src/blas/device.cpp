#include "blas/device.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/device.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
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

std::string name_of(const cl::Device& device) {
  const clgemm::Device facts = describe(device);
  return facts.name + ", driver " + facts.driver_version;
}

std::vector<cl::Device> all_gpus() {
  std::vector<cl::Device> gpus = all_devices();
  std::erase_if(gpus, [](const cl::Device& one) { return describe(one).kind != DeviceKind::gpu; });
  return gpus;
}

std::vector<cl::Device> dealt_out(const LocalRank& rank, const std::vector<cl::Device>& all,
                                  const std::string& of_what) {
  std::vector<cl::Device> result;
  for (const std::size_t turn : dealt_to(rank, all.size())) {
    log(LogLevel::info, fmt::format("local rank {} ({}): device {} of {}{}, {}", rank.rank, rank.variable,
                                    turn, all.size(), of_what, name_of(all[turn])));
    result.push_back(all[turn]);
  }
  return result;
}

std::vector<cl::Device> devices_of_list(const std::string& list) {
  try {
    return find_devices(list);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("CLGEMM_DEVICES: {}", error.what()));
  }
}

std::vector<cl::Device> devices_of_process() {
  const std::optional<LocalRank> rank = local_rank();
  if (const std::string list = environment("CLGEMM_DEVICES"); !list.empty()) {
    const std::vector<cl::Device> all = devices_of_list(list);
    return rank ? dealt_out(*rank, all, " of CLGEMM_DEVICES") : all;
  }
  if (!rank || !environment("CLGEMM_DEVICE").empty()) return {default_device()};
  // With as many devices as ranks each has one.
  const std::vector<cl::Device> gpus = all_gpus();
  if (!gpus.empty()) return dealt_out({rank->rank, 0, rank->variable}, gpus, " that are GPUs");
  log(LogLevel::info,
      fmt::format("local rank {} ({}): no GPU, the default device", rank->rank, rank->variable));
  return {default_device()};
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
  at_boundary([&] {
    const std::vector<cl::Device> devices = devices_of_process();
    opened_ = std::make_shared<Opened>(devices.front()());
    name_ = name_of(devices.front());
    if (devices.size() == 1) return;
    std::vector<cl_device_id> handles;
    for (const cl::Device& device : devices) handles.push_back(device());
    opened_->several = std::make_unique<DeviceSet>(handles);
    name_ += fmt::format(", and {} more", devices.size() - 1);
  });
}

std::shared_ptr<Device::Opened> Device::opened() {
  const std::lock_guard lock(mutex_);
  if (!opened_) throw Error(ErrorCode::device_not_found, "the process is about to end");
  return opened_;
}

void Device::multiply(const Call& call) {
  const auto on = [&call](auto& devices) {
    devices.sgemm(Layout::column_major, transpose(call.transpose_a), transpose(call.transpose_b),
                  size(call.m), size(call.n), size(call.k), call.alpha, call.a, size(call.lda), call.b,
                  size(call.ldb), call.beta, call.c, size(call.ldc));
  };
  const auto held = opened();
  if (held->several) {
    on(*held->several);
  } else {
    on(held->context);
  }
}

void Device::multiply(const Batch& batch, std::size_t& done) {
  const auto held = opened();
  const std::lock_guard lock(held->mutex);
  at_boundary([&] { held->batches.multiply(held->context, batch, done); });
}

double Device::predicted_seconds(const Call& call, std::size_t count) {
  SgemmShape shape = shape_of(call);
  if (count > 1) {
    // As BatchMemory lays them out: without gaps.
    shape.lda = shape.ldb = shape.ldc = 0;
    shape.batch_count = count;
    shape.stride_a = shape.m * shape.k;
    shape.stride_b = shape.k * shape.n;
  }
  return opened()->context.predicted_seconds(shape);
}

void Device::close() {
  std::shared_ptr<Opened> last;
  {
    const std::lock_guard lock(mutex_);
    last.swap(opened_);
  }
}

}  // namespace clgemm::blas
