#include "ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <unordered_set>

namespace clgemm::test {
namespace {

using Kind = Action::Kind;

constexpr std::int16_t empty = -1;
constexpr std::int16_t being_written = -2;

struct Fault {
  std::string text;
};

// The state of a ring as numbers, so that states can be compared and remembered.
class State {
 public:
  explicit State(const Ring& ring) : ring_(&ring) {
    places_.assign(ring.actors.size(), 0);
    contents_.assign(static_cast<std::size_t>(ring.stages * ring.parts), empty);
    for (const int arrivals : ring.arrivals) barriers_.push_back({0, static_cast<std::int16_t>(arrivals), 0});
    for (std::size_t actor = 0; actor < ring.actors.size(); ++actor) go_on(actor);
  }

  // Returns everything that can happen next, each as a number: an actor continues, a copy arrives, or all
  // actors meet.
  std::vector<std::size_t> events() const {
    std::vector<std::size_t> result;
    for (std::size_t actor = 0; actor < places_.size(); ++actor) {
      if (can_go_on(actor)) result.push_back(actor);
    }
    for (std::size_t i = 0; i < copies_.size(); ++i) result.push_back(places_.size() + i);
    if (all_meet()) result.push_back(meeting);
    return result;
  }

  // Throws Fault.
  void happen(std::size_t event) {
    if (event == meeting) {
      for (std::size_t actor = 0; actor < places_.size(); ++actor) ++places_[actor];
      for (std::size_t actor = 0; actor < places_.size(); ++actor) go_on(actor);
    } else if (event < places_.size()) {
      if (next(event).kind == Kind::read) check_content(next(event));
      ++places_[event];
      go_on(event);
    } else {
      come(event - places_.size());
    }
  }

  // Throws Fault if nothing can happen any more although the end is not reached.
  void check_end() const {
    for (std::size_t actor = 0; actor < places_.size(); ++actor) {
      if (!is_done(actor)) throw Fault{fmt::format("actor {} waits forever", actor)};
    }
  }

  std::u16string key() const {
    std::u16string result;
    const auto add = [&result](int number) { result += static_cast<char16_t>(number); };
    for (const std::uint16_t place : places_) add(place);
    for (const std::int16_t content : contents_) add(content);
    for (const Barrier& barrier : barriers_) {
      add(barrier.completed);
      add(barrier.pending);
      add(barrier.copies);
    }
    for (const Copy& copy : copies_) {
      add(copy.actor);
      add(copy.place);
    }
    return result;
  }

 private:
  static constexpr std::size_t meeting = ~std::size_t{0};

  struct Barrier {
    std::int16_t completed;  // phases that are complete
    std::int16_t pending;    // arrivals that the phase still needs
    std::int16_t copies;     // copies that it still waits for
  };

  // A copy in flight, identified by the action that started it.
  struct Copy {
    std::uint16_t actor, place;
    auto operator<=>(const Copy&) const = default;
  };

  bool is_done(std::size_t actor) const { return places_[actor] == ring_->actors[actor].size(); }
  const Action& next(std::size_t actor) const { return ring_->actors[actor][places_[actor]]; }

  bool can_go_on(std::size_t actor) const {
    if (is_done(actor)) return false;
    const Action& action = next(actor);
    switch (action.kind) {
      case Kind::wait:
        return barriers_[static_cast<std::size_t>(action.barrier)].completed % 2 != action.parity;
      case Kind::wait_groups:
        return have_come(actor, action.count);
      case Kind::meet:
        return false;
      default:
        return true;  // a read that has begun may end at any time
    }
  }

  bool all_meet() const {
    for (std::size_t actor = 0; actor < places_.size(); ++actor) {
      if (is_done(actor) || next(actor).kind != Kind::meet) return false;
    }
    return true;
  }

  // Returns true if all but the last `left` groups of an actor's copies have arrived.
  bool have_come(std::size_t actor, int left) const {
    const Actions& actions = ring_->actors[actor];
    int groups = 0;
    std::size_t place = places_[actor];
    while (place > 0 && groups <= left) {
      if (actions[--place].kind == Kind::commit) ++groups;
    }
    if (groups <= left) return true;
    return std::none_of(copies_.begin(), copies_.end(),
                        [&](const Copy& copy) { return copy.actor == actor && copy.place < place; });
  }

  // Executes the actor's next actions that do not wait. If they were executed later, other actors
  // could do less harm. It stops at an action that can wait, and at a read, because a read takes time.
  void go_on(std::size_t actor) {
    for (; !is_done(actor); ++places_[actor]) {
      const Action& action = next(actor);
      switch (action.kind) {
        case Kind::wait:
        case Kind::wait_groups:
        case Kind::meet:
          return;
        case Kind::read:
          check_content(action);
          return;
        case Kind::expect:
          barriers_[static_cast<std::size_t>(action.barrier)].copies +=
              static_cast<std::int16_t>(action.count);
          arrive_at(action);
          break;
        case Kind::arrive:
          arrive_at(action);
          break;
        case Kind::copy:
          content_of(action) = being_written;
          copies_.push_back({static_cast<std::uint16_t>(actor), places_[actor]});
          std::sort(copies_.begin(), copies_.end());
          break;
        case Kind::commit:
          break;
      }
    }
    if (all_done() && !copies_.empty()) throw Fault{"it ends while copies are under way"};
  }

  bool all_done() const {
    for (std::size_t actor = 0; actor < places_.size(); ++actor) {
      if (!is_done(actor)) return false;
    }
    return true;
  }

  void come(std::size_t index) {
    const Copy copy = copies_[index];
    copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(index));
    const Action& action = ring_->actors[copy.actor][copy.place];
    content_of(action) = static_cast<std::int16_t>(action.step);
    if (action.barrier < 0) return;
    Barrier& barrier = barriers_[static_cast<std::size_t>(action.barrier)];
    --barrier.copies;
    complete_phase(action.barrier);
  }

  void arrive_at(const Action& action) {
    Barrier& barrier = barriers_[static_cast<std::size_t>(action.barrier)];
    if (barrier.completed != action.phase || barrier.pending == 0) {
      throw Fault{fmt::format("an arrival at barrier {} that is meant for its phase {} counts in phase {}",
                              action.barrier, action.phase, barrier.completed)};
    }
    --barrier.pending;
    complete_phase(action.barrier);
  }

  void complete_phase(int index) {
    Barrier& barrier = barriers_[static_cast<std::size_t>(index)];
    if (barrier.pending != 0 || barrier.copies != 0) return;
    ++barrier.completed;
    barrier.pending = static_cast<std::int16_t>(ring_->arrivals[static_cast<std::size_t>(index)]);
  }

  std::int16_t& content_of(const Action& action) {
    return contents_[static_cast<std::size_t>(action.stage * ring_->parts + action.part)];
  }

  void check_content(const Action& action) const {
    for (int part = 0; part < ring_->parts; ++part) {
      const int content = contents_[static_cast<std::size_t>(action.stage * ring_->parts + part)];
      if (content == action.step) continue;
      const std::string found = content == empty           ? "nothing"
                                : content == being_written ? "what is being copied"
                                                           : fmt::format("step {}", content);
      throw Fault{fmt::format("step {} is read in stage {}, where {} is", action.step, action.stage, found)};
    }
  }

  const Ring* ring_;
  std::vector<std::uint16_t> places_;  // each actor's position in its actions
  std::vector<std::int16_t> contents_;
  std::vector<Barrier> barriers_;
  std::vector<Copy> copies_;
};

}  // namespace

Action wait_for(int barrier, int parity) {
  return {.kind = Kind::wait, .barrier = barrier, .parity = parity};
}
Action expect(int barrier, int copies, int phase) {
  return {.kind = Kind::expect, .barrier = barrier, .count = copies, .phase = phase};
}
Action copy(int stage, int part, int step, int barrier) {
  return {.kind = Kind::copy, .barrier = barrier, .stage = stage, .part = part, .step = step};
}
Action commit() {
  return {.kind = Kind::commit};
}
Action wait_groups(int left) {
  return {.kind = Kind::wait_groups, .count = left};
}
Action meet() {
  return {.kind = Kind::meet};
}
Action read(int stage, int step) {
  return {.kind = Kind::read, .stage = stage, .step = step};
}
Action arrive(int barrier, int phase) {
  return {.kind = Kind::arrive, .barrier = barrier, .phase = phase};
}

std::string fault_in_any_order(const Ring& ring, std::size_t most_states) {
  try {
    std::vector<State> left = {State(ring)};
    std::unordered_set<std::u16string> seen = {left.back().key()};
    while (!left.empty()) {
      const State state = std::move(left.back());
      left.pop_back();
      const std::vector<std::size_t> events = state.events();
      if (events.empty()) state.check_end();
      for (const std::size_t event : events) {
        State after = state;
        after.happen(event);
        if (seen.insert(after.key()).second) left.push_back(std::move(after));
      }
      if (seen.size() > most_states) throw std::length_error("the ring has more states than that");
    }
  } catch (const Fault& fault) {
    return fault.text;
  }
  return {};
}

std::string fault_in_random_orders(const Ring& ring, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  try {
    for (std::size_t i = 0; i < count; ++i) {
      State state(ring);
      std::vector<std::size_t> events = state.events();
      for (; !events.empty(); events = state.events()) state.happen(events[random() % events.size()]);
      state.check_end();
    }
  } catch (const Fault& fault) {
    return fault.text;
  }
  return {};
}

}  // namespace clgemm::test
