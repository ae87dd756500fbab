// Where the matrices of a batch lie while a device multiplies them in one launch: gathered, without gaps and
// evenly apart, in pinned memory that the device reads at full speed, and on the device.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <optional>

#include "base/opencl.hpp"
#include "blas/call.hpp"

namespace clgemm::blas {

// Seconds to gather an element of a batch, or to scatter it: a thread copies 9 GB/s on the H200's host.
constexpr double gathered_element = 0.45e-9;

// True where multiplies that are gathered for one launch are expected to take less than each on its own on
// the device, as far as that can be said where nothing was measured.
inline bool one_launch_pays(const Call& call) {
  // What a call on a device may take beside its multiply. A guess, low: 1.1 ms through the drop-in on an
  // H200.
  constexpr double guessed_device_call = 1e-4;
  return elements_moved(call) * gathered_element < guessed_device_call;
}

class BatchMemory {
 public:
  explicit BatchMemory(const Context& context);
  ~BatchMemory();
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;

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

    // Elements from one matrix to the next.
    std::size_t stride() const;
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
