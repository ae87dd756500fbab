// clgemm as the drop-in calls it: the device of this process, or of this rank.
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
  // Which device is taken if the user names none.
  enum class Unnamed { any, gpu };

  // The devices that CLGEMM_DEVICES names, else the one of CLGEMM_DEVICE. Ranks of MPI on one machine deal
  // out the list among themselves; where neither is set they take the machine's GPUs in turn, and any other
  // process takes clgemm's default. Throws Error.
  explicit Device(Unnamed unnamed);

  // Returns when every C is complete. Throws Error; each C may then be written in part, unless the Error is
  // about an argument.
  void multiply(const Batch& batch);

  // Compiles what calls of this shape need, most of it or all: tiles at the edge may have a kernel of their
  // own. Throws Error.
  void prepare(const SgemmShape& shape);

  // Makes a call of this shape on matrices of zeros, so that the next one finds all that it needs. If C would
  // be large, this only prepares. Throws Error.
  void rehearse(const SgemmShape& shape);

  // Returns the speed model's time for a call of this shape, without its copies and with them. Throws Error.
  double predicted_seconds(const SgemmShape& shape);
  double predicted_seconds_host(const SgemmShape& shape);

  // False if the device works on the matrices where they lie, as do all of several.
  bool copies_matrices() const { return copies_matrices_; }

  // True if the device or one of several works on C where it lies.
  bool writes_in_place() const { return writes_in_place_; }

  // Device and driver, in words.
  const std::string& name() const { return name_; }

  // Waits until compiled programs are on disk, and ends the use of the device: calls then throw.
  void close();

 private:
  // Of the first device, and of all of them where there are several.
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
