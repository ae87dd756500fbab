// What a DeviceSet keeps: a Context for each device, and which of them still take part.
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

// Devices that are equal, so that a tile has the same bits whichever of them does it.
using Group = std::vector<Member*>;

class DeviceSet::State {
 public:
  explicit State(const std::vector<cl::Device>& devices);

  // Those that take part, in the order of their first devices.
  std::vector<Group> groups();

  // Those that take part, in the order of the list.
  std::vector<Member*> members();

  // Leaves a device out from now on.
  void leave_out(Member& member, const Error& why);

  // The Error of the first device that was left out; for when none is left.
  [[noreturn]] void throw_first_cause();

  // Waits until every new program is on disk.
  void finish_keeping();

 private:
  std::deque<Member> all_;
  std::mutex mutex_;  // of what follows, and of is_left_out
  std::optional<Error> first_cause_;
};

DeviceSet::State& state_of(DeviceSet& devices);

}  // namespace clgemm
