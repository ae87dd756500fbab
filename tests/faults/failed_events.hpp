// Commands that were accepted and failed later: which events show the failure, and its effect on later
// commands. It is a part of the fault layer.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace clgemm::test {

class FailedEvents {
 public:
  struct Failure {
    cl_int status = CL_SUCCESS;
    bool spreads = false;  // commands that wait for the event fail, too

    explicit operator bool() const { return status != CL_SUCCESS; }
  };

  // The command of this event failed. If a command without an event fails, the next command of its queue that
  // has an event shows the failure.
  void add(cl_command_queue queue, cl_event event, const Failure& failure) {
    const std::lock_guard lock(mutex_);
    if (event != nullptr) {
      events_[event] = failure;
    } else {
      silent_[queue] = failure;
    }
    is_empty_ = false;
  }

  // This event is new. Its handle may have belonged to a failed event, and it may have to show the failure of
  // an earlier command.
  void begin(cl_command_queue queue, cl_event event) {
    if (is_empty_) return;
    const std::lock_guard lock(mutex_);
    events_.erase(event);
    const auto found = silent_.find(queue);
    if (found == silent_.end()) return;
    events_[event] = found->second;
    silent_.erase(found);
  }

  // A queue was made or released, so its handle means another queue from now on.
  void forget(cl_command_queue queue) {
    const std::lock_guard lock(mutex_);
    silent_.erase(queue);
  }

  Failure of(cl_event event) const {
    if (is_empty_) return {};
    const std::lock_guard lock(mutex_);
    const auto found = events_.find(event);
    return found == events_.end() ? Failure{} : found->second;
  }

  bool has_any(const std::vector<cl_event>& events) const {
    for (const cl_event event : events) {
      if (of(event)) return true;
    }
    return false;
  }

  // Returns true if a command that waits for these events fails for this reason.
  bool spreads_from(const std::vector<cl_event>& events) const {
    for (const cl_event event : events) {
      if (of(event).spreads) return true;
    }
    return false;
  }

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> is_empty_{true};  // no event has failed yet
  std::map<cl_event, Failure> events_;
  std::map<cl_command_queue, Failure> silent_;
};

}  // namespace clgemm::test
