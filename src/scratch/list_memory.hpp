// Keeps the lists of the last batches of matrices at any place in device memory. If a program computes the
// same batches again and again, each list is sent once.
#pragma once

#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/handles.hpp"
#include "call/problem.hpp"

namespace clgemm {

// Any number of threads may use the same object. A list is never overwritten, so nobody needs to wait for it.
// The device keeps a released list until the commands that read it are complete.
class ListMemory {
 public:
  cl::Buffer on_device(const cl::Context& context, const std::vector<Product>& products) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, list] : lists_) {
      if (is_same(known, products)) return list;
    }
    cl::Buffer list(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, products.size() * sizeof(Product),
                    const_cast<Product*>(products.data()));
    if (lists_.size() < most) {
      lists_.emplace_back(products, list);
    } else {
      assign(lists_[oldest_], {products, list});
      oldest_ = (oldest_ + 1) % most;
    }
    return list;
  }

 private:
  static constexpr std::size_t most = 8;  // a guess; each has 2 MiB at most

  static bool is_same(const std::vector<Product>& x, const std::vector<Product>& y) {
    static_assert(sizeof(Product) == 32, "there must be no padding, because all bytes are compared");
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(Product)) == 0;
  }

  std::mutex mutex_;
  std::vector<std::pair<std::vector<Product>, cl::Buffer>> lists_;
  std::size_t oldest_ = 0;
};

}  // namespace clgemm
