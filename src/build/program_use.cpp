#include "build/program_use.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

namespace clgemm {
namespace {

// Nobody waits for the binary but the thread that keeps it, so that looking seldom costs nothing.
constexpr std::chrono::milliseconds poll_interval(5);

bool is_complete(const cl::Event& event) {
  return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <=
         CL_COMPLETE;  // negative: it failed, and is over too
}

}  // namespace

std::shared_ptr<ProgramUse> ProgramUse::of(const std::string& key) {
  static std::mutex mutex;
  static auto* const all =
      new std::map<std::string, std::weak_ptr<ProgramUse>>;  // may outlive static destructors
  const std::lock_guard lock(mutex);
  std::erase_if(*all, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<ProgramUse>& entry = (*all)[key];
  std::shared_ptr<ProgramUse> use = entry.lock();
  if (!use) entry = use = std::make_shared<ProgramUse>();
  return use;
}

bool ProgramUse::begin() {
  if (is_over_) return false;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_taking_; });
  if (is_over_) return false;
  ++launching_;
  return true;
}

void ProgramUse::end(const cl::Event& launched) {
  const std::lock_guard lock(mutex_);
  if (launched() != nullptr) under_way_.push_back(launched);
  --launching_;  // where the event could not be kept, the launch never ends
  under_way_.remove_if(is_complete);
}

// Polls, for events may depend on something that the caller's thread has yet to do.
std::vector<unsigned char> ProgramUse::binary(const std::function<std::vector<unsigned char>()>& take,
                                              const std::function<bool()>& give_up) {
  while (!start_taking()) {
    if (is_over_) {
      const std::lock_guard lock(mutex_);
      return binary_;
    }
    if (give_up()) return {};
    std::this_thread::sleep_for(poll_interval);
  }
  try {
    finish_taking(take());
  } catch (...) {
    finish_taking({});
    throw;
  }
  const std::lock_guard lock(mutex_);
  return binary_;
}

void ProgramUse::finish_taking(std::vector<unsigned char> binary) {
  const std::lock_guard lock(mutex_);
  binary_ = std::move(binary);
  is_taking_ = false;
  is_over_ = true;
  under_way_.clear();
  changed_.notify_all();
}

// True where nothing is going on; begin() then waits for us.
bool ProgramUse::start_taking() {
  const std::lock_guard lock(mutex_);
  if (is_taking_ || is_over_ || launching_ != 0) return false;
  is_taking_ = std::all_of(under_way_.begin(), under_way_.end(), is_complete);
  return is_taking_;
}

}  // namespace clgemm
