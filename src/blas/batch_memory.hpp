// Where the matrices of a batch lie while a device multiplies them in one launch: gathered, without gaps and
// evenly apart, in pinned memory that the device reads at full speed, and on the device.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <optional>

#include "base/opencl.hpp"
#include "blas/call.hpp"

namespace clgemm::blas {

class BatchMemory {
 public:
  explicit BatchMemory(const Context& context);
  ~BatchMemory();
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;

  // The shape of one launch for this batch, as sgemm_strided_batched() sees it.
  static SgemmShape shape_of(const Batch& batch);

  // Returns when every C is complete. It goes in parts where the batch is larger than what is kept here:
  // `done` is how many multiplies are, also where it throws Error or cl::Error; it has written to no other C.
  // For one thread at a time.
  void multiply(Context& context, const Batch& batch, std::size_t& done, const Options& options = {});

 private:
  // The matrices of one operand.
  struct Side {
    std::size_t lines = 0;
    std::size_t length = 0;
    std::size_t ld = 0;  // of the caller's
    bool is_one_for_all = false;

    // Elements from one matrix to the next; step() is 0 if there is one for all.
    std::size_t stride() const;
    std::size_t step() const { return is_one_for_all ? 0 : stride(); }
    std::size_t elements(std::size_t count) const { return stride() * (is_one_for_all ? 1 : count); }
  };

  // Pinned, and mapped as long as we live.
  struct Place {
    cl::Buffer pinned;
    cl::Buffer on_device;
    float* memory = nullptr;
    std::size_t elements = 0;
  };

  static Side side_of(bool transposed, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                      bool is_one_for_all);
  static std::size_t part_of(const Batch& batch);  // how many multiplies go in one launch
  void make(Place& place, std::size_t elements);
  void release(Place& place) noexcept;
  template <class Matrix>
  cl::Event send(Place& place, const Side& side, const Matrix* matrices, std::size_t count);
  void multiply_part(Context& context, const Batch& batch, std::size_t first, std::size_t count,
                     const Options& options);

  cl::Context context_;
  cl::CommandQueue queue_;
  Place a_, b_, c_;
};

}  // namespace clgemm::blas
