// clgemm as the drop-in calls it: the device of this process, or of this rank.
#pragma once

#include <clgemm/clgemm.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "blas/batch_memory.hpp"
#include "blas/call.hpp"

namespace clgemm::blas {

class Device {
 public:
  // The devices that CLGEMM_DEVICES names, else the one of CLGEMM_DEVICE. Ranks of MPI on one machine deal
  // out the list among themselves; where neither is set they take the machine's GPUs in turn, and any other
  // process takes clgemm's default. Throws Error.
  Device();

  // Returns when C is complete. Throws Error; C may then be written in part, unless the Error is about an
  // argument.
  void multiply(const Call& call);

  // In one launch, or few, on the first device. Returns when every C is complete. Throws Error; of the batch
  // `done` multiplies are then complete, and no other C is written.
  void multiply(const Batch& batch, std::size_t& done);

  // The speed model's word, of so many in one launch, without what copies take. Throws Error.
  double predicted_seconds(const Call& call, std::size_t count = 1);

  // Device and driver, in words.
  const std::string& name() const { return name_; }

  // Waits until compiled programs are on disk, and ends the use of the device: calls then throw.
  void close();

 private:
  // Of the first device, and of all of them where there are several.
  struct Opened {
    explicit Opened(cl_device_id device) : context(device), batches(context) {}

    Context context;
    std::unique_ptr<DeviceSet> several;
    std::mutex mutex;  // of what follows
    BatchMemory batches;
  };

  std::shared_ptr<Opened> opened();

  std::mutex mutex_;
  std::shared_ptr<Opened> opened_;  // null after close()
  std::string name_;
};

}  // namespace clgemm::blas
