#include "host_batches.hpp"

#include <optional>

#include "python/host_batch.hpp"

namespace clgemm::test {
namespace {

constexpr Shape shape{45, 51, 67};
constexpr std::size_t products = 3;

class HostBatch final : public Scenario {
 public:
  explicit HostBatch(bool on_copies) : on_copies_(on_copies) {}

  void renew() override {
    const MemoryOfItsOwn own(on_copies_);
    context_.emplace(Context());
  }

  void prepare(float beta) override {
    if (!context_) renew();
    task_ = &task_of(shape, beta);
    c_.clear();
    for (std::size_t i = 0; i < products; ++i)
      c_.insert(c_.end(), task_->data.c.begin(), task_->data.c.end());
  }

  // A and B are the same for each product, as far as a batch knows.
  void call() override {
    const auto& [form, size, scalars, a, b, c] = task_->multiply;
    python::Arrangement call;
    call.layout = form.layout;
    call.transpose_a = form.transpose_a;
    call.transpose_b = form.transpose_b;
    call.m = size.m;
    call.n = size.n;
    call.k = size.k;
    call.lda = a.ld;
    call.ldb = b.ld;
    call.ldc = c.ld;
    call.is_batch = true;
    call.batch_count = products;
    call.stride_c = task_->data.c.size();
    context_->multiply(
        call, {task_->data.a.data() + a.offset, task_->data.b.data() + b.offset, c_.data() + c.offset},
        scalars.alpha, scalars.beta, {});
  }

  bool is_right() override {
    return holds([this](const std::vector<float>& c) { return task_->is_right(c); });
  }
  bool is_undamaged() override {
    return holds([this](const std::vector<float>& c) { return task_->leaves_rest(c); });
  }
  const std::vector<float>* host_c() const override { return &c_; }
  bool is_on_copies() const override { return on_copies_; }

 private:
  // Of each product.
  template <class Predicate>
  bool holds(const Predicate& predicate) const {
    const auto size = static_cast<std::ptrdiff_t>(task_->data.c.size());
    for (auto first = c_.begin(); first != c_.end(); first += size) {
      if (!predicate({first, first + size})) return false;
    }
    return true;
  }

  bool on_copies_;
  std::optional<python::OwnContext> context_;
  const Task* task_ = nullptr;
  std::vector<float> c_;
};

}  // namespace

MakeScenario host_batch(bool on_copies) {
  return [on_copies] { return std::make_unique<HostBatch>(on_copies); };
}

}  // namespace clgemm::test
