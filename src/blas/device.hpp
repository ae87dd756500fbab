// clgemm for the drop-in library: the device of this process, or of this rank.
#pragma once

#include <clgemm/clgemm.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "blas/call.hpp"

namespace clgemm::blas {

// Return the shape of a call on host matrices, and of a batch.
SgemmShape shape_of(const Call& call);
SgemmShape shape_of(const Batch& batch);

class Device {
 public:
  // The devices to choose from if the user names none.
  enum class Unnamed { any, gpu };

  // Opens the devices that CLGEMM_DEVICES names, or else the one of CLGEMM_DEVICE. MPI ranks on one machine
  // deal out the list among themselves. If neither is set, ranks take the machine's GPUs in turn, and any
  // other process takes clgemm's default. Throws Error.
  explicit Device(Unnamed unnamed);

  // Returns when every C is complete. Throws Error; then each C may be partly written, unless the Error is
  // about an argument.
  void multiply(const Batch& batch);

  // Compiles most or all of the programs that calls of this shape need. Tiles at the edge may have a kernel
  // of their own. Throws Error.
  void prepare(const SgemmShape& shape);

  // Makes a call of this shape on matrices of zeros, so that the next call finds everything that it needs. If
  // C would be large, it only prepares. Throws Error.
  void rehearse(const SgemmShape& shape);

  // Returns the speed model's time for a call of this shape, without its copies and with them. Throws Error.
  double predicted_seconds(const SgemmShape& shape);
  double predicted_seconds_host(const SgemmShape& shape);

  // Returns false if the device works on the matrices in place, or if all of several devices do.
  bool copies_matrices() const { return copies_matrices_; }

  // Returns true if the device, or one of several, works on C in place.
  bool writes_in_place() const { return writes_in_place_; }

  // Returns the device and driver in words.
  const std::string& name() const { return name_; }

  // Waits until programs are compiled and on disk, and ends the use of the device. Calls after this throw.
  void close();

 private:
  // The first device, and all of them if there are several.
  struct Opened {
    explicit Opened(cl_device_id device) : context(device) {}

    Context context;
    std::unique_ptr<DeviceSet> several;
  };

  std::shared_ptr<Opened> opened();

  // Calls `call` with the Context or DeviceSet for host matrices.
  template <class Call>
  void on(const Call& call) {
    const auto held = opened();
    if (held->several) {
      call(*held->several);
    } else {
      call(held->context);
    }
  }

  std::mutex mutex_;
  std::shared_ptr<Opened> opened_;  // null after close()
  std::string name_;
  bool copies_matrices_ = true;
  bool writes_in_place_ = false;
};

}  // namespace clgemm::blas
