// The pool of scratch buffers.
#include "scratch/scratch.hpp"

#include "support/on_device.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

TEST_CASE("a returned buffer is used again, and the smallest one that is large enough") {
  ScratchPool pool(test::shared_cl_context(), CL_MEM_READ_WRITE, 1 << 20);
  auto small = pool.take(1000);
  auto large = pool.take(4000);
  CHECK(small.last_use() == nullptr);
  CHECK(small.memory.getInfo<CL_MEM_SIZE>() >= 1000);
  const cl_mem small_memory = small.memory();
  const cl_mem large_memory = large.memory();
  CHECK(small_memory != large_memory);
  pool.give_back(std::move(large));
  pool.give_back(std::move(small));
  const auto taken = pool.take(500);
  CHECK(taken.memory() == small_memory);
  CHECK(taken.bytes == 1000);
  CHECK(pool.take(1001).memory() == large_memory);
}

// An idle buffer of 1000 bytes. Its last use ends when the test says so.
struct Busy {
  ScratchPool pool{test::shared_cl_context(), CL_MEM_READ_WRITE, 1 << 20};
  cl::UserEvent last_use{test::shared_cl_context()};
  cl::Buffer memory;

  Busy(const cl::CommandQueue& queue, bool waits) {
    auto buffer = pool.take(1000);
    memory = buffer.memory;
    buffer.last_use = last_use;
    buffer.queue = queue;
    buffer.waits = waits;
    pool.give_back(std::move(buffer));
  }

  bool gives_it_to(const ScratchPool::Buffer& taken) const { return taken.memory() == memory(); }
};

TEST_CASE("a call that takes a buffer in use on the same queue waits on the device") {
  for (const bool out_of_order : test::queue_kinds()) {
    const cl::CommandQueue queue = test::make_queue(out_of_order);
    Busy busy(queue, false);
    const auto taken = busy.pool.take(1000, queue, {});
    CHECK(busy.gives_it_to(taken));
    // An in-order queue needs no event for this.
    CHECK(taken.last_use() == (out_of_order ? busy.last_use() : nullptr));
  }
}

TEST_CASE("no call waits for a buffer in use on another queue") {
  Busy busy(test::make_queue(false), false);
  CHECK_FALSE(busy.gives_it_to(busy.pool.take(1000, test::make_queue(false), {})));
  CHECK_FALSE(busy.gives_it_to(busy.pool.take(1000)));
  busy.last_use.setStatus(CL_COMPLETE);
  const auto taken = busy.pool.take(1000, test::make_queue(false), {});
  CHECK(busy.gives_it_to(taken));
  CHECK(taken.last_use() == nullptr);
}

TEST_CASE(
    "a buffer without an event belongs to its queue, until another queue has checked that it is no longer in "
    "use") {
  ScratchPool pool(test::shared_cl_context(), CL_MEM_READ_WRITE, 1 << 20);
  const cl::CommandQueue queue = test::make_queue(false);
  const cl::CommandQueue other = test::make_queue(false);
  auto buffer = pool.take(1000, queue, {});
  const cl::Buffer memory = buffer.memory;
  pool.give_back(std::move(buffer), {}, queue, false);

  auto again = pool.take(1000, queue, {});
  CHECK(again.memory() == memory());
  CHECK(again.last_use() == nullptr);
  pool.give_back(std::move(again), {}, queue, false);
  CHECK(pool.take(1000, other, {}).memory() != memory());  // take() asks
  // Rusticl's clFinish does not wait for commands that were flushed before.
  queue.enqueueMarkerWithWaitList();
  queue.finish();
  CHECK(pool.take(1000, other, {}).memory() == memory());
}

TEST_CASE("no call waits for the wait list of another call") {
  for (const bool out_of_order : test::queue_kinds()) {
    const cl::CommandQueue queue = test::make_queue(out_of_order);
    Busy busy(queue, true);
    CHECK(busy.gives_it_to(busy.pool.take(1000, queue, {})) == !out_of_order);
  }
  // But a call that waits for that use anyway gets its buffer.
  const cl::CommandQueue queue = test::make_queue(true);
  Busy busy(queue, true);
  CHECK(busy.gives_it_to(busy.pool.take(1000, queue, {busy.last_use})));
}

TEST_CASE("a buffer whose last use failed is released") {
  const cl::CommandQueue queue = test::make_queue(false);
  Busy busy(queue, false);
  busy.last_use.setStatus(-1);
  CHECK_FALSE(busy.gives_it_to(busy.pool.take(1000, queue, {busy.last_use})));
}

TEST_CASE("buffers that are too large to keep are released, the least recently used first") {
  ScratchPool pool(test::shared_cl_context(), CL_MEM_READ_WRITE, 3000);
  auto first = pool.take(1500);
  auto second = pool.take(1400);
  auto third = pool.take(1600);
  const cl::Buffer second_memory = second.memory;  // held here, so that no new buffer can get its handle
  const cl::Buffer third_memory = third.memory;
  const cl::Buffer first_memory = first.memory;
  pool.give_back(std::move(first));
  pool.give_back(std::move(second));
  pool.give_back(std::move(third));
  CHECK(pool.take(1).memory() == second_memory());
  CHECK(pool.take(1).memory() == third_memory());
  CHECK(pool.take(1).memory() != first_memory());

  auto huge = pool.take(5000);
  const cl::Buffer huge_memory = huge.memory;
  pool.give_back(std::move(huge));
  CHECK(pool.take(5000).memory() != huge_memory());
}

TEST_CASE("a request that exceeds the device's memory gives out_of_memory, with the size") {
  ScratchPool pool(test::shared_cl_context(), CL_MEM_READ_WRITE, 1 << 20);
  const std::size_t bytes = test::shared_device_info().global_bytes * 2;
  const std::string device = test::shared_device_info().platform_name;
  if (device.find("NVIDIA") != std::string::npos) {
    WARN("not tested: " << device
                        << " makes buffers of any size and finds no memory only when they are used");
  } else {
    CHECK_ERROR([&] { pool.take(bytes); }, out_of_memory, std::to_string(bytes));
  }
  CHECK_NOTHROW(pool.take(1000));
}

}  // namespace
}  // namespace clgemm
