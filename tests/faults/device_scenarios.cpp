#include "device_scenarios.hpp"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/opencl.hpp"

// Functions of OpenCL 2.0. clgemm includes the headers for 1.2, which do not have them.
extern "C" {
CL_API_ENTRY void* CL_API_CALL clSVMAlloc(cl_context context, cl_bitfield flags, size_t bytes,
                                          cl_uint alignment);
CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void* memory);
}

namespace clgemm::test {
namespace {

using Call = DeviceCall::Call;

constexpr Shape shape{45, 51, 67};
constexpr std::size_t most_products = 3;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
constexpr auto free_strided = [](auto&&... arguments) { sgemm_strided_batched(arguments...); };
constexpr auto free_list = [](auto&&... arguments) { sgemm_batched(arguments...); };
#pragma GCC diagnostic pop

class OnDevice final : public Scenario {
 public:
  explicit OnDevice(DeviceCall call) : call_(std::move(call)), task_(&task_of(shape, 1, alpha())) {}

  void renew() override {
    context_.emplace();
    opencl_ = cl::Context(context_->context(), true);
    const cl::Device device(context_->device(), true);
    // Rusticl (Mesa 22.3) has only in-order queues.
    const cl_command_queue_properties has = device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>();
    queue_ = cl::CommandQueue(opencl_, device,
                              call_.out_of_order ? has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    std::vector<float> b = task_->data.b;
    b.resize(most_products * b.size());
    Matrices made{memory_with(task_->data.a), memory_with(b), memory_with(all_c())};
    std::swap(matrices_, made);
    if (call_.own_scratch_bytes != 0)
      scratch_ = cl::Buffer(opencl_, CL_MEM_READ_WRITE, call_.own_scratch_bytes);
    call_.options.scratch = scratch_();
  }

  void prepare(float beta) override {
    task_ = &task_of(shape, beta, alpha());
    if (!context_) renew();
    write(matrices_.c.buffer, all_c());
    done_ = {};
    queue_.enqueueMarkerWithWaitList(nullptr, &before_);
  }

  void call() override {
    const WaitList wait_for{before_()};
    cl_event done = nullptr;
    if (call_.by_free_function) {
      enqueue([](auto&&... arguments) { sgemm(arguments...); }, free_strided, free_list, wait_for, done);
      release_contexts();
    } else {
      enqueue([this](auto&&... arguments) { context_->sgemm(arguments...); },
              [this](auto&&... arguments) { context_->sgemm_strided_batched(arguments...); },
              [this](auto&&... arguments) { context_->sgemm_batched(arguments...); }, wait_for, done);
    }
    done_ = cl::Event(done);
    at_boundary([this] { done_.wait(); });  // a command that failed later reports it here
  }

  bool is_right() override {
    const std::vector<float> all = read(matrices_.c.buffer);
    for (std::size_t i = 0; i < products(); ++i) {
      if (!task_->is_right(part(all, i))) return false;
    }
    return leaves_other_products(all);
  }

  bool is_undamaged() override {
    queue_.finish();
    const std::vector<float> all = read(matrices_.c.buffer);
    for (std::size_t i = 0; i < products(); ++i) {
      if (!task_->leaves_rest(part(all, i))) return false;
    }
    return leaves_other_products(all);
  }

 private:
  template <class Sgemm, class Strided, class List>
  void enqueue(const Sgemm& one, const Strided& strided, const List& list, const WaitList& wait_for,
               cl_event& done) {
    const auto& [form, size, scalars, a, b, c] = task_->gemm;
    const auto& [m, n, k] = size;
    const DeviceMatrix at_a{matrices_.a.named(), a.ld, a.offset}, at_b{matrices_.b.named(), b.ld, b.offset};
    switch (call_.call) {
      case Call::sgemm:
      case Call::scale:
        return one(queue_(), form.layout, form.transpose_a, form.transpose_b, m, n, k, scalars.alpha, at_a,
                   at_b, scalars.beta, at_c(0), wait_for, &done, call_.options);
      case Call::strided:
        return strided(queue_(), form.layout, form.transpose_a, form.transpose_b, m, n, k, scalars.alpha,
                       at_a, std::size_t{0}, at_b, std::size_t{0}, scalars.beta, at_c(0),
                       task_->data.c.size(), most_products, wait_for, &done, call_.options);
      case Call::sum:  // one product, and others of the same A with a B of zeros, which follows the first B
        return strided(queue_(), form.layout, form.transpose_a, form.transpose_b, m, n, k, scalars.alpha,
                       at_a, std::size_t{0}, at_b, task_->data.b.size(), scalars.beta, at_c(0),
                       std::size_t{0}, most_products, wait_for, &done, call_.options);
      case Call::list:
        return list(queue_(), form.layout, form.transpose_a, form.transpose_b, m, n, k,
                    std::vector{scalars.alpha}, std::vector(most_products, at_a),
                    std::vector(most_products, at_b), std::vector{scalars.beta},
                    std::vector{at_c(2), at_c(0), at_c(1)}, wait_for, &done, call_.options);
    }
  }

  float alpha() const { return call_.call == Call::scale ? 0.0f : 2.0f; }
  std::size_t products() const {
    return call_.call == Call::strided || call_.call == Call::list ? most_products : 1;
  }
  bool leaves_other_products(const std::vector<float>& all) const {
    for (std::size_t i = products(); i < most_products; ++i) {
      if (!same_bits(part(all, i), task_->data.c)) return false;
    }
    return true;
  }

  DeviceMatrix at_c(std::size_t i) const {
    const Place& c = task_->gemm.c;
    return {matrices_.c.named(), c.ld, i * task_->data.c.size() + c.offset};
  }
  std::vector<float> all_c() const {
    std::vector<float> result;
    for (std::size_t i = 0; i < most_products; ++i)
      result.insert(result.end(), task_->data.c.begin(), task_->data.c.end());
    return result;
  }
  std::vector<float> part(const std::vector<float>& all, std::size_t i) const {
    const auto size = static_cast<std::ptrdiff_t>(task_->data.c.size());
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i) * size;
    return {first, first + size};
  }

  // A buffer, or shared memory if the call names that.
  struct Memory {
    std::shared_ptr<float> shared;
    cl::Buffer buffer;

    DeviceMemory named() const { return shared ? DeviceMemory(shared.get()) : DeviceMemory(buffer()); }
  };
  struct Matrices {
    Memory a, b, c;
  };

  Memory memory_with(const std::vector<float>& elements) const {
    const std::size_t bytes = elements.size() * sizeof(float);
    Memory result;
    if (call_.in_shared_memory) {
      const auto let_go = [context = opencl_, queue = queue_](float* memory) {
        clFinish(queue());
        clSVMFree(context(), memory);
      };
      result.shared = {static_cast<float*>(clSVMAlloc(opencl_(), CL_MEM_READ_WRITE, bytes, 0)), let_go};
    }
    result.buffer = cl::Buffer(opencl_, CL_MEM_READ_WRITE | (result.shared ? CL_MEM_USE_HOST_PTR : 0), bytes,
                               result.shared.get());
    write(result.buffer, elements);
    return result;
  }
  void write(const cl::Buffer& to, const std::vector<float>& elements) const {
    queue_.enqueueWriteBuffer(to, CL_TRUE, 0, elements.size() * sizeof(float), elements.data());
    queue_.finish();  // on an out-of-order queue, the next command may overtake a blocking write
  }
  std::vector<float> read(const cl::Buffer& from) const {
    std::vector<float> result(most_products * task_->data.c.size());
    queue_.enqueueReadBuffer(from, CL_TRUE, 0, result.size() * sizeof(float), result.data());
    return result;
  }

  DeviceCall call_;
  const Task* task_;
  std::optional<Context> context_;
  cl::Context opencl_;
  cl::CommandQueue queue_;
  Matrices matrices_;
  cl::Buffer scratch_;
  cl::Event before_, done_;
};

}  // namespace

MakeScenario on_device(const DeviceCall& call) {
  return [call] { return std::make_unique<OnDevice>(call); };
}

}  // namespace clgemm::test
