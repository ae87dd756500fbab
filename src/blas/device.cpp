#include "blas/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
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
  // With as many devices as ranks, each rank has one.
  const std::vector<cl::Device> gpus = all_gpus();
  if (!gpus.empty()) return dealt_out({rank->rank, 0, rank->variable}, gpus, " that are GPUs");
  log(LogLevel::info, fmt::format("local rank {} ({}): there is no GPU, so it uses the default device",
                                  rank->rank, rank->variable));
  return {default_device()};
}

// Returns true if the user has named the device, or if it is a GPU.
bool is_named_or_gpu(const cl::Device& device) {
  return !environment("CLGEMM_DEVICES").empty() || !environment("CLGEMM_DEVICE").empty() ||
         describe(device).kind == DeviceKind::gpu;
}

}  // namespace

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

SgemmShape shape_of(const Batch& batch) {
  SgemmShape shape = shape_of(batch.shape);
  shape.batch_count = batch.count();
  const auto stride = [](const auto& matrices, Transpose transposed, std::size_t rows, std::size_t columns,
                         std::size_t ld) -> std::size_t {
    const bool is_one =
        std::adjacent_find(matrices.begin(), matrices.end(), std::not_equal_to<>()) == matrices.end();
    return is_one ? 0 : ld * (transposed == Transpose::yes ? rows : columns);
  };
  shape.stride_a = stride(batch.a, shape.transpose_a, shape.m, shape.k, shape.lda);
  shape.stride_b = stride(batch.b, shape.transpose_b, shape.k, shape.n, shape.ldb);
  return shape;
}

Device::Device(Unnamed unnamed) {
  at_boundary([&] {
    const std::vector<cl::Device> devices = devices_of_process();
    if (unnamed == Unnamed::gpu && !is_named_or_gpu(devices.front()))
      throw Error(ErrorCode::device_not_found,
                  "there is no GPU, and other devices are slower than this CPU's BLAS; set CLGEMM_DEVICE to "
                  "use one anyway");
    opened_ = std::make_shared<Opened>(devices.front()());
    name_ = name_of(devices.front());
    const auto in_place = std::count_if(devices.begin(), devices.end(), [](const cl::Device& device) {
      return describe(device).shares_host_memory;
    });
    copies_matrices_ = in_place != static_cast<std::ptrdiff_t>(devices.size());
    writes_in_place_ = in_place != 0;
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

void Device::multiply(const Batch& batch) {
  const Call& call = batch.shape;
  const SgemmShape shape = shape_of(call);
  on([&](auto& devices) {
    if (batch.count() == 1) {
      devices.sgemm(shape.layout, shape.transpose_a, shape.transpose_b, shape.m, shape.n, shape.k, call.alpha,
                    batch.a.front(), shape.lda, batch.b.front(), shape.ldb, call.beta, batch.c.front(),
                    shape.ldc);
    } else {
      devices.sgemm_batched(shape.layout, shape.transpose_a, shape.transpose_b, shape.m, shape.n, shape.k,
                            {call.alpha}, batch.a, shape.lda, batch.b, shape.ldb, {call.beta}, batch.c,
                            shape.ldc);
    }
  });
}

void Device::prepare(const SgemmShape& shape) {
  on([&](auto& devices) { devices.explain_host(shape); });
}

void Device::rehearse(const SgemmShape& shape) {
  prepare(shape);
  constexpr std::size_t most_elements = std::size_t{64} << 20;
  if (shape.batch_count > 1 || shape.ldc * shape.n > most_elements) return;
  // Memory of calloc() that is only read takes no space.
  const auto zeros = [](std::size_t columns, std::size_t ld) {
    std::unique_ptr<float, decltype(&std::free)> result(
        static_cast<float*>(std::calloc(columns, ld * sizeof(float))), &std::free);
    if (!result) throw Error(ErrorCode::out_of_memory, "the host has not enough memory for a test call");
    return result;
  };
  const auto columns = [](Transpose transposed, std::size_t k, std::size_t other) {
    return transposed == Transpose::yes ? other : k;
  };
  const auto a = zeros(columns(shape.transpose_a, shape.k, shape.m), shape.lda);
  const auto b = zeros(columns(shape.transpose_b, shape.n, shape.k), shape.ldb);
  const auto c = zeros(shape.n, shape.ldc);
  on([&](auto& devices) {
    devices.sgemm(shape.layout, shape.transpose_a, shape.transpose_b, shape.m, shape.n, shape.k, 1.0f,
                  a.get(), shape.lda, b.get(), shape.ldb, 0.0f, c.get(), shape.ldc);
  });
}

double Device::predicted_seconds(const SgemmShape& shape) {
  return opened()->context.predicted_seconds(shape);
}

double Device::predicted_seconds_host(const SgemmShape& shape) {
  return opened()->context.predicted_seconds_host(shape);
}

void Device::close() {
  std::shared_ptr<Opened> last;
  {
    const std::lock_guard lock(mutex_);
    last.swap(opened_);
  }
}

}  // namespace clgemm::blas
