#include "host_batches.hpp"

#include <optional>

namespace clgemm::test {
namespace {

constexpr Shape shape{45, 51, 67};
constexpr std::size_t products = 3;

class HostBatch final : public Scenario {
 public:
  explicit HostBatch(const HostBatchCall& call) : call_(call) {}
  ~HostBatch() override { release_contexts(); }
  HostBatch(const HostBatch&) = delete;
  HostBatch& operator=(const HostBatch&) = delete;

  void renew() override {
    const MemoryOfItsOwn own(call_.on_copies);
    context_.reset();
    devices_.reset();
    if (call_.by == By::device_set) {
      devices_.emplace(devices());
    } else if (call_.by == By::context) {
      context_.emplace();
    } else {
      release_contexts();
    }
    is_made_ = true;
  }

  void prepare(float beta) override {
    if (!is_made_ || call_.by == By::free_function) renew();
    task_ = &task_of(shape, beta);
    c_.clear();
    for (std::size_t i = 0; i < products; ++i)
      c_.insert(c_.end(), task_->data.c.begin(), task_->data.c.end());
  }

  // All products have the same A and B, but the batch does not know this.
  void call() override {
    const auto& [form, size, scalars, a, b, c] = task_->gemm;
    const float* const first_a = task_->data.a.data() + a.offset;
    const float* const first_b = task_->data.b.data() + b.offset;
    float* const first_c = c_.data() + c.offset;
    const std::size_t stride = task_->data.c.size();
    if (call_.is_list) {
      const std::vector<float*> all_c = {first_c + stride, first_c, first_c + 2 * stride};
      on([&](auto&&... arguments) { sgemm_batched(arguments...); },
         [](auto& owner, auto&&... arguments) { owner.sgemm_batched(arguments...); }, form.layout,
         form.transpose_a, form.transpose_b, size.m, size.n, size.k, std::vector{scalars.alpha},
         std::vector(products, first_a), a.ld, std::vector(products, first_b), b.ld,
         std::vector{scalars.beta}, all_c, c.ld);
    } else {
      on([&](auto&&... arguments) { sgemm_strided_batched(arguments...); },
         [](auto& owner, auto&&... arguments) { owner.sgemm_strided_batched(arguments...); }, form.layout,
         form.transpose_a, form.transpose_b, size.m, size.n, size.k, scalars.alpha, first_a, a.ld,
         std::size_t{0}, first_b, b.ld, std::size_t{0}, scalars.beta, first_c, c.ld, stride, products);
    }
  }

  bool is_right() override {
    return holds([this](const std::vector<float>& c) { return task_->is_right(c); });
  }
  bool is_undamaged() override {
    return holds([this](const std::vector<float>& c) { return task_->leaves_rest(c); });
  }
  const std::vector<float>* host_c() const override { return &c_; }
  bool is_on_copies() const override { return call_.on_copies; }
  bool is_worn() const override { return devices_ && devices_->devices().size() != devices().size(); }
  std::vector<cl_device_id> devices() const override {
    return call_.by == By::device_set ? devices_of_platform() : Scenario::devices();
  }

 private:
  using By = HostBatchCall::By;

  template <class Free, class Method, class... Arguments>
  void on(const Free& free, const Method& method, const Arguments&... arguments) {
    if (devices_) return method(*devices_, arguments...);
    if (context_) return method(*context_, arguments...);
    free(arguments...);
    release_contexts();
  }

  // Checks this for each product.
  template <class Predicate>
  bool holds(const Predicate& predicate) const {
    const auto size = static_cast<std::ptrdiff_t>(task_->data.c.size());
    for (auto first = c_.begin(); first != c_.end(); first += size) {
      if (!predicate({first, first + size})) return false;
    }
    return true;
  }

  HostBatchCall call_;
  bool is_made_ = false;
  std::optional<Context> context_;
  std::optional<DeviceSet> devices_;
  const Task* task_ = nullptr;
  std::vector<float> c_;
};

}  // namespace

MakeScenario host_batch(const HostBatchCall& call) {
  return [call] { return std::make_unique<HostBatch>(call); };
}

}  // namespace clgemm::test
