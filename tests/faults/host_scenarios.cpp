#include "host_scenarios.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "support/temporary.hpp"

namespace clgemm::test {
namespace {

// C in the host's memory, and the call of any object with an sgemm() for host matrices.
class WithHostC : public Scenario {
 public:
  explicit WithHostC(HostCall call) : call_(std::move(call)) {}

  void prepare(float beta) override {
    task_ = &task_of(call_.shape, beta);
    c_ = task_->data.c;
  }
  bool is_right() override { return task_->is_right(c_); }
  bool is_undamaged() override { return task_->leaves_rest(c_); }
  const std::vector<float>* host_c() const override { return &c_; }
  bool is_on_copies() const override { return call_.on_copies; }

 protected:
  // `sgemm` takes the arguments of Context::sgemm().
  template <class Sgemm>
  void multiply(const Sgemm& sgemm) {
    const auto& [form, shape, scalars, a, b, c] = task_->gemm;
    sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
          task_->data.a.data() + a.offset, a.ld, task_->data.b.data() + b.offset, b.ld, scalars.beta,
          c_.data() + c.offset, c.ld, call_.options);
  }
  template <class Object>
  void multiply_on(Object& object) {
    multiply([&object](auto... arguments) { object.sgemm(arguments...); });
  }

  HostCall call_;
  const Task* task_ = nullptr;
  std::vector<float> c_;
};

class OnContext final : public WithHostC {
 public:
  using WithHostC::WithHostC;

  void renew() override {
    const MemoryOfItsOwn own(call_.on_copies);
    context_.emplace();
  }
  void prepare(float beta) override {
    if (!context_) renew();
    WithHostC::prepare(beta);
  }
  void call() override { multiply_on(*context_); }

 private:
  std::optional<Context> context_;
};

class OnDeviceSet final : public WithHostC {
 public:
  using WithHostC::WithHostC;

  void renew() override {
    const MemoryOfItsOwn own(call_.on_copies, call_.first_alone ? devices().front() : nullptr);
    set_.emplace(devices());
  }
  void prepare(float beta) override {
    if (!set_) renew();
    WithHostC::prepare(beta);
  }
  void call() override { multiply_on(*set_); }
  bool is_worn() const override { return set_->devices().size() != devices().size(); }
  std::vector<cl_device_id> devices() const override { return devices_of_platform(); }

 private:
  std::optional<DeviceSet> set_;
};

// Uses clgemm's own Context, or its own DeviceSet if CLGEMM_DEVICES lists devices.
class ByFreeFunction final : public WithHostC {
 public:
  explicit ByFreeFunction(const HostCall& call) : WithHostC(call) {}
  ~ByFreeFunction() override { release_contexts(); }
  ByFreeFunction(const ByFreeFunction&) = delete;
  ByFreeFunction& operator=(const ByFreeFunction&) = delete;

  void renew() override { release_contexts(); }
  void prepare(float beta) override {
    release_contexts();  // because devices may have been left out
    WithHostC::prepare(beta);
  }
  void call() override {
    multiply([](auto... arguments) { sgemm(arguments...); });
    release_contexts();
  }
};

class FirstCall final : public WithHostC {
 public:
  explicit FirstCall(bool is_cold) : WithHostC({}), is_cold_(is_cold) {}

  void renew() override {}
  void prepare(float beta) override {
    WithHostC::prepare(beta);
    if (is_cold_) std::filesystem::remove_all(cache_.path());
  }
  void call() override {
    Context context;
    multiply_on(context);
  }

 private:
  bool is_cold_;
  TemporaryFolder cache_;
  ScopedVariable cache_folder_{"CLGEMM_CACHE_DIR", cache_.path()};
};

class MadeBy final : public WithHostC {
 public:
  explicit MadeBy(Constructor constructor) : WithHostC({}), constructor_(constructor) {}

  void renew() override {}
  void call() override {
    switch (constructor_) {
      case Constructor::context_by_name:
        return multiply_on_moved(Context("0"));
      case Constructor::context_by_device:
        return multiply_on_moved(Context(device_));
      case Constructor::context_by_queue:
        return multiply_on_moved(Context(queue_()));
      case Constructor::set_by_name:
        return multiply_on_moved(DeviceSet("0"));
      case Constructor::set_by_devices:
        return multiply_on_moved(DeviceSet(std::vector{device_}));
    }
  }

 private:
  template <class Object>
  void multiply_on_moved(Object made) {
    Object moved(std::move(made));
    multiply_on(moved);
  }

  Constructor constructor_;
  const cl_device_id device_ = default_device()();
  const cl::CommandQueue queue_{cl::Context(default_device()), default_device()};
};

bool names_kernel(const std::string& text) {
  return text.find("kernel: ") != std::string::npos;
}

bool is_time(double seconds) {
  return seconds > 0 && seconds < 3600;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
bool do_deprecated_names_work(cl_command_queue queue, const SgemmShape& shape) {
  clgemm::prepare(queue, {shape});
  return names_kernel(explain(queue, shape)) && sgemm_scratch_bytes(queue, shape) < std::size_t{1} << 30 &&
         is_time(predicted_seconds(queue, shape)) && is_time(predicted_seconds(nullptr, shape));
}
#pragma GCC diagnostic pop

// An answer is right if it names a kernel and the numbers are plausible.
class Ahead final : public Scenario {
 public:
  void renew() override {}
  void prepare(float) override { is_right_ = false; }
  void call() override {
    const SgemmShape shape{.m = 45, .n = 51, .k = 67};
    Context context;
    context.prepare({shape});
    is_right_ = names_kernel(context.explain(shape)) && names_kernel(context.explain_host(shape)) &&
                context.sgemm_scratch_bytes(shape) < std::size_t{1} << 30 &&
                is_time(context.predicted_seconds_host(shape)) && is_time(context.predicted_seconds(shape));
    DeviceSet devices("0");
    is_right_ = is_right_ && names_kernel(devices.explain_host(shape));
    is_right_ = is_right_ && names_kernel(context_for(context.queue())->explain(shape)) &&
                names_kernel(explain_host(shape)) && is_time(predicted_seconds(shape)) &&
                do_deprecated_names_work(context.queue(), shape);
    release_contexts();
  }
  bool is_right() override { return is_right_; }
  bool is_undamaged() override {
    release_contexts();
    return true;
  }

 private:
  bool is_right_ = false;
};

}  // namespace

MakeScenario on_host(const HostCall& call) {
  return [call]() -> std::unique_ptr<Scenario> {
    switch (call.by) {
      case HostCall::By::context:
        return std::make_unique<OnContext>(call);
      case HostCall::By::device_set:
        return std::make_unique<OnDeviceSet>(call);
      case HostCall::By::free_function:
        break;
    }
    return std::make_unique<ByFreeFunction>(call);
  };
}

MakeScenario first_call(bool is_cold) {
  return [is_cold] { return std::make_unique<FirstCall>(is_cold); };
}

MakeScenario made_by(Constructor constructor) {
  return [constructor] { return std::make_unique<MadeBy>(constructor); };
}

MakeScenario ahead() {
  return [] { return std::make_unique<Ahead>(); };
}

}  // namespace clgemm::test
