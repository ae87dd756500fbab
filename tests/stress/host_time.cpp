// The host's time for a call on buffers: the same call again, and calls that differ from it in alpha, in
// beta, or in the offsets of their matrices. None of these computes a new plan. Prints all times. Fails if
// one of them is more than 1.15 times that of the same call again.
#include <algorithm>
#include <array>
#include <chrono>
#include <clgemm/clgemm.hpp>
#include <cstdio>
#include <functional>

#include "base/opencl.hpp"

namespace {

using clgemm::DeviceMatrix;

constexpr double most_times = 1.15;

// The calls take turns, and the least time of each counts, because the machine is shared. If another program
// has disturbed all turns of some call, there are more turns.
constexpr int turns = 100;
constexpr int most_turns = 2000;
constexpr std::size_t calls_a_turn = 50;

constexpr std::size_t side = 64;
constexpr std::size_t room = 1 << 20;  // elements in a buffer

// The arguments in which calls of one shape differ.
struct Way {
  const char* name;
  std::function<float()> alpha, beta;
  std::function<std::size_t()> offset_of_a, offset_of_c;
  double seconds = 1.0;
};

// The device's work would disturb the host's, so it begins when all calls of a turn are enqueued.
double seconds_of_call(clgemm::Context& context, const cl::CommandQueue& queue, const Way& way,
                       const std::array<cl::Buffer, 3>& buffers) {
  cl::UserEvent begin(cl::Context(context.context(), true));
  const std::vector<cl::Event> wait_for = {begin};
  queue.enqueueBarrierWithWaitList(&wait_for);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < calls_a_turn; ++i) {
    context.sgemm(queue(), clgemm::Layout::row_major, clgemm::Transpose::no, clgemm::Transpose::no, side,
                  side, side, way.alpha(), DeviceMatrix{buffers[0](), side, way.offset_of_a()},
                  DeviceMatrix{buffers[1](), side, 0}, way.beta(),
                  DeviceMatrix{buffers[2](), side, way.offset_of_c()});
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  begin.setStatus(CL_COMPLETE);
  queue.finish();
  return taken.count() / static_cast<double>(calls_a_turn);
}

std::array<Way, 5> ways() {
  static float factor = 1.0f;
  static std::size_t place = 0;
  const auto one = [] { return 1.0f; };
  const auto zero = [] { return 0.0f; };
  const auto begin = [] { return std::size_t{0}; };
  const auto new_factor = [] { return factor += 0.001f; };
  const auto new_place = [] { return place = (place + 97) % (room - side * side); };
  return {{{"the same call", one, zero, begin, begin},
           {"a new alpha", new_factor, zero, begin, begin},
           {"a new beta", one, new_factor, begin, begin},
           {"a new place of A", one, zero, new_place, begin},
           {"a new place of C", one, zero, begin, new_place}}};
}

}  // namespace

int main() {
  clgemm::Context context;
  const cl::CommandQueue queue(context.queue(), true);
  std::array<cl::Buffer, 3> buffers;
  for (cl::Buffer& buffer : buffers)
    buffer = cl::Buffer(cl::Context(context.context(), true), CL_MEM_READ_WRITE, room * sizeof(float));
  std::array<Way, 5> all = ways();
  const auto is_right = [&all] {
    return std::all_of(all.begin(), all.end(),
                       [&all](const Way& way) { return way.seconds <= most_times * all.front().seconds; });
  };
  for (int turn = 0; turn < turns || (turn < most_turns && !is_right()); ++turn) {
    for (Way& way : all) way.seconds = std::min(way.seconds, seconds_of_call(context, queue, way, buffers));
  }
  for (const Way& way : all) {
    std::printf("%-16s %6.2f us, %.2f times the same call\n", way.name, way.seconds * 1e6,
                way.seconds / all.front().seconds);
  }
  return is_right() ? 0 : 1;
}
