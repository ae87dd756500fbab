// clgemm as the drop-in calls it: the device of this process, or of this rank.
#pragma once

#include <clgemm/clgemm.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "blas/call.hpp"

namespace clgemm::blas {

class Device {
 public:
  // The devices that CLGEMM_DEVICES names, else the one of CLGEMM_DEVICE. Where neither is set, ranks of MPI
  // on one machine take its GPUs in turn, and any other process takes clgemm's default. Throws Error.
  Device();

  // Returns when C is complete. Throws Error; C may then be written in part, unless the Error is about an
  // argument.
  void multiply(const Call& call);

  // The speed model's word, without what copies take. Throws Error.
  double predicted_seconds(const Call& call);

  // Device and driver, in words.
  const std::string& name() const { return name_; }

  // Waits until compiled programs are on disk, and ends the use of the device: calls then throw.
  void close();

 private:
  std::shared_ptr<Context> context();

  std::mutex mutex_;
  std::shared_ptr<Context> context_;  // null where clgemm's own are used, or after close()
  bool is_open_ = true;
  std::string name_;
};

}  // namespace clgemm::blas
