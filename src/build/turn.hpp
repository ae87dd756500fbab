// The order in which the programs of a plan are compiled.
#pragma once

#include <future>
#include <memory>
#include <utility>

namespace clgemm {

// A place in a queue. Each thread has its own, and the next place waits for it. A thread ends its turn as
// soon as it no longer needs what they share, also before it waits for another thread.
class Turn {
 public:
  // The place behind `before`; the first place if it is null.
  explicit Turn(const std::shared_ptr<Turn>& before) {
    if (before) before_ = before->ended_;
  }
  ~Turn() { end(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Waits until the turn before has ended.
  void begin() const {
    if (before_.valid()) before_.wait();
  }

  void end() {
    if (std::exchange(has_ended_, true)) return;
    end_.set_value();
  }

 private:
  std::shared_future<void> before_;
  bool has_ended_ = false;
  std::promise<void> end_;
  std::shared_future<void> ended_ = end_.get_future().share();
};

}  // namespace clgemm
