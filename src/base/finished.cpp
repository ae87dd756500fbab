#include "base/finished.hpp"

#include <fmt/format.h>

#include <functional>
#include <thread>

namespace clgemm {

bool settle(const cl::CommandQueue& queue) noexcept {
  const auto by_polling = [](const cl::Event& event) {
    while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE) std::this_thread::yield();
  };
  const auto marker = [&queue] {
    cl::Event event;
    queue.enqueueMarkerWithWaitList(nullptr, &event);
    queue.flush();
    return event;
  };
  // clFinish of rusticl (Mesa 22.3) waits only for commands that were not flushed before. PoCL 6 still uses a
  // queue after a finish that had to wait returns, and ends the process if the queue is gone by then.
  const auto finish = [&] {
    marker().wait();
    queue.finish();
  };
  const std::function<void()> ways[] = {finish, [&] { marker().wait(); }, [&] { by_polling(marker()); },
                                        [&] { queue.finish(); }};
  for (const auto& wait : ways) {
    try {
      wait();
      return true;
    } catch (const std::exception&) {
      continue;
    }
  }
  return false;
}

MatricesInUse::MatricesInUse(const Error& cause)
    : Error(ErrorCode::matrices_in_use,
            fmt::format("{}; clgemm cannot wait for the device, so the device may still use the matrices",
                        cause.what()),
            cause.argument()) {}

}  // namespace clgemm
