#include "drop_in_scenarios.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>

#include "base/opencl.hpp"
#include "fault_layer.hpp"
#include "support/temporary.hpp"

namespace clgemm::test {
namespace {

constexpr Shape shape{45, 51, 67};
constexpr std::size_t most_products = 3;

void* library() {
  static void* const handle = dlopen(CLGEMM_BLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return handle;
}

// The arguments of a call in the BLAS's terms. It is row-major with B transposed, like the tasks.
template <class Int>
struct Arguments {
  explicit Arguments(const Task& task, float* first_c)
      : m(static_cast<Int>(task.gemm.shape.m)),
        n(static_cast<Int>(task.gemm.shape.n)),
        k(static_cast<Int>(task.gemm.shape.k)),
        lda(static_cast<Int>(task.gemm.a.ld)),
        ldb(static_cast<Int>(task.gemm.b.ld)),
        ldc(static_cast<Int>(task.gemm.c.ld)),
        c_stride(static_cast<Int>(task.data.c.size())),
        alpha(task.gemm.scalars.alpha),
        beta(task.gemm.scalars.beta),
        a(task.data.a.data() + task.gemm.a.offset),
        b(task.data.b.data() + task.gemm.b.offset),
        c(first_c + task.gemm.c.offset) {}

  Int m, n, k, lda, ldb, ldc, c_stride;
  float alpha, beta;
  const float* a;
  const float* b;
  float* c;
};

constexpr int row_major = 101, not_transposed = 111, transposed = 112;

// Each of these makes one call of the function at `address`.
struct Fortran {
  template <class Int>
  static void call(void* address, const Arguments<Int>& x) {
    using Function =
        void(const char*, const char*, const Int*, const Int*, const Int*, const float*, const float*,
             const Int*, const float*, const Int*, const float*, float*, const Int*);
    // C' = B' A', column-major as in Fortran.
    reinterpret_cast<Function*>(address)("T", "N", &x.n, &x.m, &x.k, &x.alpha, x.b, &x.ldb, x.a, &x.lda,
                                         &x.beta, x.c, &x.ldc);
  }
  static constexpr std::size_t products = 1;
};

struct C {
  template <class Int>
  static void call(void* address, const Arguments<Int>& x) {
    using Function =
        void(int, int, int, Int, Int, Int, float, const float*, Int, const float*, Int, float, float*, Int);
    reinterpret_cast<Function*>(address)(row_major, not_transposed, transposed, x.m, x.n, x.k, x.alpha, x.a,
                                         x.lda, x.b, x.ldb, x.beta, x.c, x.ldc);
  }
  static constexpr std::size_t products = 1;
};

struct StridedC {
  template <class Int>
  static void call(void* address, const Arguments<Int>& x) {
    using Function = void(int, int, int, Int, Int, Int, float, const float*, Int, Int, const float*, Int, Int,
                          float, float*, Int, Int, Int);
    reinterpret_cast<Function*>(address)(row_major, not_transposed, transposed, x.m, x.n, x.k, x.alpha, x.a,
                                         x.lda, 0, x.b, x.ldb, 0, x.beta, x.c, x.ldc, x.c_stride,
                                         Int{most_products});
  }
  static constexpr std::size_t products = most_products;
};

struct BatchedC {
  template <class Int>
  static void call(void* address, const Arguments<Int>& x) {
    using Function = void(int, const int*, const int*, const Int*, const Int*, const Int*, const float*,
                          const float* const*, const Int*, const float* const*, const Int*, const float*,
                          float* const*, const Int*, Int, const Int*);
    const float* const all_a[] = {x.a, x.a, x.a};
    const float* const all_b[] = {x.b, x.b, x.b};
    float* const all_c[] = {x.c + 2 * x.c_stride, x.c, x.c + x.c_stride};
    const Int count = most_products;
    reinterpret_cast<Function*>(address)(row_major, &not_transposed, &transposed, &x.m, &x.n, &x.k, &x.alpha,
                                         all_a, &x.lda, all_b, &x.ldb, &x.beta, all_c, &x.ldc, Int{1},
                                         &count);
  }
  static constexpr std::size_t products = most_products;
};

template <class Kind, class Int>
class DropIn final : public Scenario {
 public:
  DropIn(BlasNames names, bool on_copies) : names_(std::move(names)), on_copies_(on_copies) {}

  void renew() override {}
  bool wants_new_process() const override { return true; }
  bool is_worn() const override { return last_call_left_device_out_; }

  void prepare(float beta) override {
    task_ = &task_of(shape, beta);
    if (!is_open_) {
      const MemoryOfItsOwn own(on_copies_);
      is_open_ = true;
      prepare(beta);
      call();
    }
    c_.clear();
    for (std::size_t i = 0; i < Kind::products; ++i)
      c_.insert(c_.end(), task_->data.c.begin(), task_->data.c.end());
  }

  void call() override {
    const std::string& name = names_[next_++ % names_.size()];
    void* const address = dlsym(library(), name.c_str());
    if (address == nullptr) throw std::runtime_error("the drop-in has no " + name);
    const unsigned long before = FaultLayer::of_process().calls();
    Kind::call(address, Arguments<Int>(*task_, c_.data()));
    last_call_left_device_out_ = FaultLayer::of_process().calls() == before;
  }

  bool is_right() override {
    const auto size = static_cast<std::ptrdiff_t>(task_->data.c.size());
    for (auto first = c_.begin(); first != c_.end(); first += size) {
      if (!task_->is_right({first, first + size})) return false;
    }
    return true;
  }
  bool is_undamaged() override { return is_right(); }
  const std::vector<float>* host_c() const override { return &c_; }
  bool is_on_copies() const override { return on_copies_; }

 private:
  BlasNames names_;
  std::size_t next_ = 0;
  bool on_copies_;
  bool is_open_ = false;
  bool last_call_left_device_out_ = false;
  const Task* task_ = nullptr;
  std::vector<float> c_;
};

template <class Kind, class Int>
MakeScenario drop_in(const BlasNames& names, bool on_copies) {
  return [names, on_copies] { return std::make_unique<DropIn<Kind, Int>>(names, on_copies); };
}

}  // namespace

MakeScenario fortran_blas(const BlasNames& names, bool on_copies) {
  return drop_in<Fortran, std::int32_t>(names, on_copies);
}
MakeScenario long_fortran_blas(const BlasNames& names) {
  return drop_in<Fortran, std::int64_t>(names, false);
}
MakeScenario cblas(const BlasNames& names, bool on_copies) {
  return drop_in<C, std::int32_t>(names, on_copies);
}
MakeScenario long_cblas(const BlasNames& names) {
  return drop_in<C, std::int64_t>(names, false);
}
MakeScenario strided_cblas(const BlasNames& names) {
  return drop_in<StridedC, std::int32_t>(names, false);
}
MakeScenario long_strided_cblas(const BlasNames& names) {
  return drop_in<StridedC, std::int64_t>(names, false);
}
MakeScenario batched_cblas(const BlasNames& names) {
  return drop_in<BatchedC, std::int32_t>(names, false);
}
MakeScenario long_batched_cblas(const BlasNames& names) {
  return drop_in<BatchedC, std::int64_t>(names, false);
}

}  // namespace clgemm::test
