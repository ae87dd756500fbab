#include "scenarios.hpp"

#include <array>
#include <filesystem>
#include <optional>

#include "base/opencl.hpp"
#include "fault_layer.hpp"
#include "kernel/kernel_config.hpp"
#include "support/multiply.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"

namespace clgemm::test {
namespace {

// A multiply with gaps and guards, and what must come out of it, to the bit.
struct Task {
  explicit Task(const Shape& shape)
      : multiply(make_multiply({Layout::row_major, Transpose::no, Transpose::yes}, shape, {2, -1},
                               all_placements()[1])),
        data(integer_data(multiply, 5)) {}

  bool is_right(const std::vector<float>& c) const {
    return error_ratio(multiply, data, c) == 0 && leaves_rest(c);
  }
  bool leaves_rest(const std::vector<float>& c) const { return damage_around_c(multiply, data, c).empty(); }

  Multiply multiply;
  Data data;
};

const Task& small_task() {
  static const Task task({45, 51, 67});
  return task;
}

// Calls on host matrices. The result lies in the caller's own memory from the return on.
class HostScenario : public Scenario {
 public:
  void renew() override { context_.emplace(); }
  void prepare() override {
    if (!context_) renew();
    c_ = small_task().data.c;
  }
  void call() override { multiply(*context_); }
  bool is_right() override { return small_task().is_right(c_); }
  bool is_undamaged() override { return small_task().leaves_rest(c_); }

 protected:
  void multiply(Context& context) {
    const auto& [form, shape, scalars, a, b, c] = small_task().multiply;
    const Data& data = small_task().data;
    context.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                  data.a.data() + a.offset, a.ld, data.b.data() + b.offset, b.ld, scalars.beta,
                  c_.data() + c.offset, c.ld);
  }

  std::vector<float> c_;

 private:
  std::optional<Context> context_;
};

// As on a device of its own memory.
class CopiesScenario final : public HostScenario {
 public:
  void renew() override {
    const cl_bool no = CL_FALSE;
    FaultLayer& layer = FaultLayer::of_process();
    layer.pretend(false, CL_DEVICE_HOST_UNIFIED_MEMORY,
                  std::string(reinterpret_cast<const char*>(&no), sizeof no));
    HostScenario::renew();
    layer.pretend(false, CL_DEVICE_HOST_UNIFIED_MEMORY, {});
  }
};

// The first call of a process, on a cache that holds everything, or nothing.
class FirstCallScenario final : public HostScenario {
 public:
  explicit FirstCallScenario(bool cold) : cold_(cold) {}

  void prepare() override {
    c_ = small_task().data.c;
    if (cold_) std::filesystem::remove_all(cache_.path());
  }
  void call() override {
    Context context;
    multiply(context);
  }

 private:
  bool cold_;
  TemporaryFolder cache_;
  ScopedVariable cache_folder_{"CLGEMM_CACHE_DIR", cache_.path().c_str()};
};

struct DeviceKind {
  bool out_of_order = false;
  Options options;
  std::size_t own_scratch_bytes = 0;
  enum class Call { sgemm, list, scale, free_function } call = Call::sgemm;
};

class DeviceScenario final : public Scenario {
 public:
  explicit DeviceScenario(DeviceKind kind) : kind_(std::move(kind)), task_(small_task()) {}

  void renew() override {
    context_.emplace();
    opencl_ = cl::Context(context_->context(), true);
    const cl::Device device(context_->device(), true);
    // Rusticl (Mesa 22.3) has no others than in-order queues.
    const cl_command_queue_properties has = device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>();
    queue_ = cl::CommandQueue(opencl_, device,
                              kind_.out_of_order ? has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    a_ = buffer(task_.data.a);
    b_ = buffer(task_.data.b);
    for (cl::Buffer& c : c_) c = buffer(task_.data.c);
    if (kind_.own_scratch_bytes != 0)
      scratch_ = cl::Buffer(opencl_, CL_MEM_READ_WRITE, kind_.own_scratch_bytes);
    kind_.options.scratch = scratch_();
  }

  void prepare() override {
    if (!context_) renew();
    for (const cl::Buffer& c : c_)
      queue_.enqueueWriteBuffer(c, CL_TRUE, 0, task_.data.c.size() * sizeof(float), task_.data.c.data());
    done_ = {};
    queue_.enqueueMarkerWithWaitList(nullptr, &before_);
  }

  void call() override {
    const auto& [form, shape, scalars, a, b, c] = task_.multiply;
    const DeviceMatrix at_a{a_(), a.ld, a.offset}, at_b{b_(), b.ld, b.offset};
    std::vector<DeviceMatrix> at_c;
    for (const cl::Buffer& one : c_) at_c.push_back({one(), c.ld, c.offset});
    const WaitList wait_for{before_()};
    cl_event done = nullptr;
    const auto [m, n, k] = shape;
    using Call = DeviceKind::Call;
    switch (kind_.call) {
      case Call::sgemm:
      case Call::scale:
        context_->sgemm(queue_(), form.layout, form.transpose_a, form.transpose_b, m, n, k,
                        kind_.call == Call::scale ? 0.0f : scalars.alpha, at_a, at_b, scalars.beta, at_c[0],
                        wait_for, &done, kind_.options);
        break;
      case Call::list:
        context_->sgemm_batched(queue_(), form.layout, form.transpose_a, form.transpose_b, m, n, k,
                                {scalars.alpha}, {at_a, at_a, at_a}, {at_b, at_b, at_b}, {scalars.beta}, at_c,
                                wait_for, &done, kind_.options);
        break;
      case Call::free_function:
        sgemm(queue_(), form.layout, form.transpose_a, form.transpose_b, m, n, k, scalars.alpha, at_a, at_b,
              scalars.beta, at_c[0], wait_for, &done, kind_.options);
        release_contexts();
        break;
    }
    done_ = cl::Event(done);
  }

  bool is_right() override {
    done_.wait();
    bool result = true;
    for (std::size_t i = 0; i < (kind_.call == DeviceKind::Call::list ? c_.size() : 1); ++i)
      result = result && is_right(read(c_[i]));
    return result;
  }

  bool is_undamaged() override {
    queue_.finish();
    bool result = true;
    for (const cl::Buffer& c : c_) result = result && task_.leaves_rest(read(c));
    return result;
  }

 private:
  bool is_right(const std::vector<float>& c) const {
    if (kind_.call != DeviceKind::Call::scale) return task_.is_right(c);
    Multiply scaled = task_.multiply;
    scaled.scalars.alpha = 0;
    return error_ratio(scaled, task_.data, c) == 0 && task_.leaves_rest(c);
  }

  cl::Buffer buffer(const std::vector<float>& elements) const {
    cl::Buffer result(opencl_, CL_MEM_READ_WRITE, elements.size() * sizeof(float));
    queue_.enqueueWriteBuffer(result, CL_TRUE, 0, elements.size() * sizeof(float), elements.data());
    queue_.finish();  // on an out-of-order queue what comes next may overtake a write that blocks
    return result;
  }

  std::vector<float> read(const cl::Buffer& buffer) const {
    std::vector<float> result(task_.data.c.size());
    queue_.enqueueReadBuffer(buffer, CL_TRUE, 0, result.size() * sizeof(float), result.data());
    return result;
  }

  DeviceKind kind_;
  const Task& task_;
  std::optional<Context> context_;
  cl::Context opencl_;
  cl::CommandQueue queue_;
  cl::Buffer a_, b_, scratch_;
  std::array<cl::Buffer, 3> c_;
  cl::Event before_, done_;
};

Options named(const std::string& kernel) {
  Options options;
  options.kernel = kernel;
  return options;
}

Options in_parts() {
  Options options = named("tiled");
  options.parameters = {{split_parameter, 3}};
  return options;
}

Options in_blocks() {
  Options options = named("tiled");
  options.scratch_limit = 20000;
  return options;
}

NamedScenario on_device(const std::string& name, const DeviceKind& kind) {
  return {name, [kind] { return std::make_unique<DeviceScenario>(kind); }};
}

}  // namespace

const std::vector<NamedScenario>& all_scenarios() {
  using Call = DeviceKind::Call;
  static const std::vector<NamedScenario> all = {
      {"host", [] { return std::make_unique<HostScenario>(); }},
      {"host_copies", [] { return std::make_unique<CopiesScenario>(); }},
      {"first_warm", [] { return std::make_unique<FirstCallScenario>(false); }},
      {"first_cold", [] { return std::make_unique<FirstCallScenario>(true); }},
      on_device("device", {}),
      on_device("out_of_order", {true, named("tiled")}),
      on_device("own_scratch", {true, named("tiled"), 100000}),
      on_device("list", {true, named("tiled"), 0, Call::list}),
      on_device("list_own_scratch", {true, named("tiled"), 100000, Call::list}),
      on_device("parts", {true, in_parts()}),
      on_device("blocks", {true, in_blocks()}),
      on_device("scale", {false, {}, 0, Call::scale}),
      on_device("free_function", {false, {}, 0, Call::free_function}),
  };
  return all;
}

}  // namespace clgemm::test
