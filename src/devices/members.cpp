#include "devices/members.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"

namespace clgemm {
namespace {

bool are_equal(const Device& x, const Device& y) {
  return x.name == y.name && x.vendor == y.vendor && x.driver_version == y.driver_version &&
         x.platform_version == y.platform_version && x.compute_units == y.compute_units &&
         x.global_bytes == y.global_bytes && x.max_allocation_bytes == y.max_allocation_bytes;
}

}  // namespace

Member::Member(cl_device_id device, std::size_t number, std::size_t count)
    : context(device),
      state(state_of(context)),
      name(fmt::format("'{}' ({} of {})", state.info().name, number, count)) {}

DeviceSet::State::State(const std::vector<cl::Device>& devices) {
  for (const cl::Device& device : devices) all_.emplace_back(device(), all_.size() + 1, devices.size());
}

std::vector<Group> DeviceSet::State::groups() {
  std::vector<Group> result;
  for (Member* member : members()) {
    const auto is_equal = [member](const Group& group) {
      return are_equal(group.front()->state.info(), member->state.info());
    };
    const auto found = std::find_if(result.begin(), result.end(), is_equal);
    if (found == result.end()) {
      result.push_back({member});
    } else {
      found->push_back(member);
    }
  }
  return result;
}

std::vector<Member*> DeviceSet::State::members() {
  const std::lock_guard lock(mutex_);
  std::vector<Member*> result;
  for (Member& member : all_) {
    if (!member.is_left_out) result.push_back(&member);
  }
  return result;
}

void DeviceSet::State::leave_out(Member& member, const Error& why) {
  {
    const std::lock_guard lock(mutex_);
    if (member.is_left_out) return;
    member.is_left_out = true;
    if (!first_cause_) first_cause_ = why;
  }
  log(LogLevel::info, fmt::format("the device {} is not used from now on: {}: {}", member.name,
                                  to_string(why.code()), why.what()));
}

void DeviceSet::State::throw_first_cause() {
  const std::lock_guard lock(mutex_);
  // The matrices of that call may be in use, but those of this call are not.
  const bool in_use = first_cause_->code() == ErrorCode::matrices_in_use;
  throw Error(in_use ? ErrorCode::device_lost : first_cause_->code(),
              fmt::format("all devices have failed; the first error was: {}", first_cause_->what()));
}

void DeviceSet::State::finish_keeping() {
  for (Member& member : all_) member.state.finish_keeping();
}

DeviceSet::State& state_of(DeviceSet& devices) {
  return *devices.state_;
}

}  // namespace clgemm
