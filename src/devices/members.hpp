// The state of a DeviceSet: a Context for each device, and which devices still take part.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/opencl.hpp"
#include "context/context.hpp"

namespace clgemm {

// One of the devices.
struct Member {
  Member(cl_device_id device, std::size_t number, std::size_t count);

  Context context;
  Context::State& state;
  std::string name;  // in the log: "'NVIDIA H100' (2 of 8)", because devices may have the same name
  bool is_left_out = false;
};

// Equal devices. A tile has the same bits on each of them.
using Group = std::vector<Member*>;

class DeviceSet::State {
 public:
  explicit State(const std::vector<cl::Device>& devices);

  // Returns the devices that take part, grouped, in the order of each group's first device.
  std::vector<Group> groups();

  // Returns the devices that take part, in the order of the list.
  std::vector<Member*> members();

  // Excludes a device from now on.
  void leave_out(Member& member, const Error& why);

  // Throws the Error of the first excluded device. Used when no device is left.
  [[noreturn]] void throw_first_cause();

  // Waits until every new program is built and on disk.
  void finish_keeping();

 private:
  std::deque<Member> all_;
  std::mutex mutex_;  // for the members below, and is_left_out
  std::optional<Error> first_cause_;
};

DeviceSet::State& state_of(DeviceSet& devices);

}  // namespace clgemm
