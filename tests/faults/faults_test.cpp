// One fault at a time, each at a place that once caused harm.
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "base/opencl.hpp"
#include "build/disk_cache.hpp"
#include "fault_layer.hpp"
#include "kernel/kernel_config.hpp"
#include "support/first_choice.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace {

std::atomic<bool> threads_can_start{true};

}  // namespace

// The linker finds this definition before the C library's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                              void* argument) noexcept {
  static auto* const real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return threads_can_start ? real(thread, attributes, body, argument) : EAGAIN;
}

namespace clgemm {
namespace {

using namespace test;

// Arms faults within a scope.
struct Armed {
  explicit Armed(std::vector<Fault> faults) { FaultLayer::of_process().arm(std::move(faults)); }
  ~Armed() { FaultLayer::of_process().disarm(); }
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;
};

Fault nth(const char* function, unsigned long n, cl_int status = CL_OUT_OF_RESOURCES) {
  return {n, 0, status, function};
}

Fault always(const char* function, cl_int status = CL_OUT_OF_RESOURCES) {
  return {1, 1, status, function};
}

// Makes a Context whose device seems to have memory of its own, so that host matrices are copied.
Context copying_context() {
  const cl_bool no = CL_FALSE;
  FaultLayer::of_process().pretend(false, CL_DEVICE_HOST_UNIFIED_MEMORY,
                                   std::string(reinterpret_cast<const char*>(&no), sizeof no));
  Context context;
  FaultLayer::of_process().pretend(false, CL_DEVICE_HOST_UNIFIED_MEMORY, {});
  return context;
}

// Returns true if a command on an out-of-order queue overtakes one that waits for a user event.
bool commands_overtake() {
  const cl::CommandQueue queue = make_queue(true);
  const std::vector<float> elements(4);
  const cl::Buffer first = make_buffer(elements);
  const cl::Buffer second = make_buffer(elements);
  cl::UserEvent caller_s(shared_cl_context());
  const std::vector<cl::Event> before = {caller_s};
  cl::Event overtaken;
  cl::Event overtaking;
  const std::size_t bytes = elements.size() * sizeof(float);
  queue.enqueueWriteBuffer(first, CL_FALSE, 0, bytes, elements.data(), &before, &overtaken);
  queue.enqueueWriteBuffer(second, CL_FALSE, 0, bytes, elements.data(), nullptr, &overtaking);
  queue.flush();
  const auto is_through = [&] {
    return overtaking.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (!is_through() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const bool result = is_through();
  caller_s.setStatus(CL_COMPLETE);
  overtaken.wait();
  overtaking.wait();
  return result;
}

// A GEMM with a kernel that packs A and B, on separate buffers.
struct PackedCall {
  GemmCase gemm = make_gemm_case({Layout::row_major, Transpose::no, Transpose::no}, {70, 75, 80}, {2, -1},
                                 all_placements()[1]);
  Data data = integer_data(gemm, 3);
  DeviceData buffers = upload(data);
  Options options;

  PackedCall() { options.kernel = "tiled"; }

  cl::Event run(const cl::CommandQueue& queue, const WaitList& wait_for = {}) const {
    const auto& [form, shape, scalars, a, b, c] = gemm;
    cl_event done = nullptr;
    shared_context().sgemm(queue(), form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n,
                           shape.k, scalars.alpha, matrix_at(buffers.a, a), matrix_at(buffers.b, b),
                           scalars.beta, matrix_at(buffers.c, c), wait_for, &done, options);
    return cl::Event(done);
  }

  bool is_right() const { return error_ratio(gemm, data, read_buffer(buffers.c)) == 0; }
};

TEST_CASE("a second attempt in the caller's scratch buffer waits foreverything that the first one enqueued") {
  if (queue_kinds().size() == 1) return;
  const cl::CommandQueue queue = make_queue(true);
  PackedCall().run(queue).wait();
  PackedCall call;
  const cl::Buffer scratch(shared_cl_context(), CL_MEM_READ_WRITE, 100000);
  call.options.scratch = scratch();
  FaultLayer& layer = FaultLayer::of_process();
  layer.record(true);
  {
    const Armed armed({nth("clEnqueueNDRangeKernel", 3)});  // after A and B are packed, this is the GEMM
    call.run(queue).wait();
    REQUIRE(layer.failed() == std::vector<std::string>{"clEnqueueNDRangeKernel"});
  }
  std::vector<Command> commands = layer.record(false);
  std::erase_if(commands, [](const Command& one) { return one.function != "clEnqueueNDRangeKernel"; });
  REQUIRE(commands.size() > 4);
  for (std::size_t second = 2; second < 4; ++second) {
    for (std::size_t first = 0; first < 2; ++first) {
      const auto& waits = commands[second].wait_for;
      CHECK(std::count(waits.begin(), waits.end(), commands[first].event) == 1);
    }
  }
  CHECK(call.is_right());
}

TEST_CASE("launches of a batch that share the caller's scratch buffer run one after another") {
  if (queue_kinds().size() == 1) return;
  const PackedCall call;
  const cl::CommandQueue queue = make_queue(true);
  const cl::Buffer scratch(shared_cl_context(), CL_MEM_READ_WRITE, 100000);
  const cl::Buffer other_c = make_buffer(call.data.c);
  Options options = call.options;
  options.scratch = scratch();
  const auto run = [&] {
    const auto& [form, shape, scalars, a, b, c] = call.gemm;
    const DeviceMatrix at_a = matrix_at(call.buffers.a, a);
    const DeviceMatrix at_b = matrix_at(call.buffers.b, b);
    shared_context().sgemm_batched(queue(), form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n,
                                   shape.k, {scalars.alpha}, {at_a, at_a}, {at_b, at_b}, {scalars.beta},
                                   {matrix_at(call.buffers.c, c), matrix_at(other_c, c)}, {}, nullptr,
                                   options);
    queue.finish();
  };
  FaultLayer::of_process().record(true);
  run();
  const std::vector<Command> commands = FaultLayer::of_process().record(false);
  REQUIRE(commands.size() == 7);  // pack, pack, multiply, twice, and the marker at the end
  for (const std::size_t packing : {3u, 4u})
    CHECK(commands[packing].wait_for == std::vector{commands[2].event});
  CHECK(call.is_right());
}

// An event costs half as much as a launch.
TEST_CASE("only the last launch of a call in blocks on an in-order queue has an event") {
  PackedCall call;
  const cl::CommandQueue queue = make_queue(false);
  const cl::Buffer scratch(shared_cl_context(), CL_MEM_READ_WRITE, 20000);
  call.options.scratch = scratch();
  call.run(queue).wait();
  FaultLayer::of_process().record(true);
  call.run(queue).wait();
  std::vector<Command> commands = FaultLayer::of_process().record(false);
  std::erase_if(commands, [](const Command& one) { return one.function != "clEnqueueNDRangeKernel"; });
  REQUIRE(commands.size() > 6);  // each of several blocks has two launches to pack and one to multiply
  CHECK(commands.back().event != nullptr);
  commands.pop_back();
  CHECK(
      std::all_of(commands.begin(), commands.end(), [](const Command& one) { return one.event == nullptr; }));
}

TEST_CASE("successive calls make no new buffers") {
  const cl::CommandQueue queue = make_queue(false);
  PackedCall adding_slices;  // it needs memory to count slices
  adding_slices.options = {};
  adding_slices.options.kernel_file = CLGEMM_TEST_KERNELS "/adding_parts.cl";
  adding_slices.options.parameters = {{split_parameter, 3}};
  const PackedCall packed;
  for (const PackedCall* call : {&packed, &std::as_const(adding_slices)}) {
    call->run(queue).wait();
    const Armed counting({nth("clCreateBuffer", std::numeric_limits<unsigned long>::max())});
    call->run(queue).wait();
    CHECK(FaultLayer::of_process().counted(0) == 0);
  }
}

TEST_CASE("a call whose wait list fails does not block a later call") {
  if (queue_kinds().size() == 1) return;
  if (shared_device_info().platform_name == "Intel(R) OpenCL") {
    WARN("NOT TESTED: this runtime (2026.2) frees twice if a kernel waits for a user event that fails");
    return;
  }
  if (!commands_overtake()) {
    WARN("NOT TESTED on this device: its out-of-order queues run commands in order");
    return;
  }
  const cl::CommandQueue queue = make_queue(true);
  PackedCall().run(queue).wait();
  cl::UserEvent caller_s(shared_cl_context());
  const PackedCall failing;
  const cl::Event failed = failing.run(queue, {caller_s()});
  const PackedCall waiting;
  const cl::Event waits = waiting.run(queue, {});
  waits.wait();  // while the first one is still waiting
  CHECK(waiting.is_right());
  caller_s.setStatus(-1);
  const PackedCall later;
  later.run(queue).wait();
  CHECK(later.is_right());
  const PackedCall on_another;
  on_another.run(make_queue(false)).wait();
  CHECK(on_another.is_right());
  CHECK(failed.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() < 0);
}

TEST_CASE(
    "a failed call on host matrices returns when the device no longer uses them, and names the failure") {
  const GemmCase gemm = make_gemm_case({Layout::row_major, Transpose::no, Transpose::no}, {400, 400, 900},
                                       {2, -1}, all_placements()[0]);
  const Data before = integer_data(gemm, 4);
  std::vector<float> result;
  const auto run = [&](Context& context) {
    const auto& [form, shape, scalars, a, b, c] = gemm;
    result = before.c;
    context.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                  before.a.data(), a.ld, before.b.data(), b.ld, scalars.beta, result.data(), c.ld);
  };
  if (!shared_device_info().shares_host_memory) {
    WARN("NOT TESTED on this device: it does not work in the caller's memory");
    return;
  }
  run(shared_context());
  const std::vector<float> right = result;
  for (const bool waiting_fails : {false, true}) {
    Context context;
    run(context);
    std::vector<Fault> faults = {nth("clEnqueueMapBuffer", 1), always("clFinish")};
    if (waiting_fails) faults.push_back(always("clWaitForEvents"));
    const Armed armed(faults);
    // If nothing finishes on a device, it is lost.
    CHECK_ERROR([&] { run(context); }, device_lost, "clEnqueueMapBuffer");
    CHECK(same_bits(result, right));
  }
}

TEST_CASE("if the done event cannot be made, the call throws an Error") {
  const PackedCall call;
  const cl::CommandQueue queue = make_queue(false);
  call.run(queue).wait();
  FaultLayer& layer = FaultLayer::of_process();
  unsigned long retains = 0;
  {
    const Armed counting({nth("clRetainEvent", std::numeric_limits<unsigned long>::max())});
    call.run(queue).wait();
    retains = layer.counted(0);
  }
  const Armed armed({nth("clRetainEvent", retains)});  // the caller's own reference is the last one
  CHECK_ERROR([&] { call.run(queue); }, out_of_memory, "clRetainEvent failed: CL_OUT_OF_RESOURCES");
}

// Two GEMMs of 4 x 4 x 4 whose matrices are at irregular distances. All elements of the i-th A are i.
struct ListedCall {
  static constexpr std::size_t side = 4, elements = side * side, matrices = 16;
  cl::Buffer a = make_buffer(numbered()), b = make_buffer(std::vector<float>(elements, 1.0f));
  cl::Buffer c = make_buffer(std::vector<float>(4 * elements));

  static std::vector<float> numbered() {
    std::vector<float> result;
    for (std::size_t i = 0; i < matrices * elements; ++i) result.push_back(static_cast<float>(i / elements));
    return result;
  }

  // Uses the `i`-th A and the next one.
  void run(const cl::CommandQueue& queue, std::size_t i) const {
    const auto at = [](const cl::Buffer& buffer, std::size_t matrix) {
      return DeviceMatrix{buffer(), side, matrix * elements};
    };
    Options options;
    options.kernel = "coalesced";
    cl_event done = nullptr;
    shared_context().sgemm_batched(queue(), Layout::row_major, Transpose::no, Transpose::no, side, side, side,
                                   {1.0f}, {at(a, i), at(a, i + 1), at(a, i)}, {at(b, 0), at(b, 0), at(b, 0)},
                                   {0.0f}, {at(c, 0), at(c, 3), at(c, 1)}, {}, &done, options);
    cl::Event(done).wait();
  }

  bool is_right(std::size_t i) const {
    const std::vector<float> result = read_buffer(c);
    return result.front() == static_cast<float>(side * i) &&
           result.back() == static_cast<float>(side * (i + 1));
  }
};

TEST_CASE("a list whose release fails is not confused with the next list") {
  const ListedCall call;
  const cl::CommandQueue queue = make_queue(false);
  constexpr std::size_t kept = 8;
  for (std::size_t i = 0; i < kept; ++i) call.run(queue, i);
  {
    const Armed armed({{1, 1, CL_OUT_OF_RESOURCES, "clReleaseMemObject", nullptr, Failing::done}});
    call.run(queue, kept);
    CHECK(FaultLayer::of_process().counted(0) != 0);
  }
  CHECK(call.is_right(kept));
  for (const std::size_t i : {kept, std::size_t{0}, std::size_t{1}}) {
    call.run(queue, i);
    CHECK(call.is_right(i));
  }
}

TEST_CASE("a call works on a sub-buffer whose parent cannot be retained") {
  const PackedCall call;
  const cl::CommandQueue queue = make_queue(false);
  const std::size_t bytes = call.data.c.size() * sizeof(float);
  cl::Buffer parent(shared_cl_context(), CL_MEM_READ_WRITE, bytes);
  queue.enqueueWriteBuffer(parent, CL_TRUE, 0, bytes, call.data.c.data());
  const cl_buffer_region whole{0, bytes};
  PackedCall of_part;
  of_part.buffers.c = parent.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &whole);
  const Armed armed({{1, 1, CL_INVALID_MEM_OBJECT, "clRetainMemObject", parent()}});
  of_part.run(queue).wait();
  CHECK(of_part.is_right());
}

TEST_CASE("a verdict in the cache is not passed to the driver as a program") {
  if (shared_device_info().platform_name != "Portable Computing Language") {
    WARN("NOT TESTED: this driver is given other programs from the cache");
    return;
  }
  const TemporaryFolder cache;
  const TemporaryFolder kernels;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  const ScopedVariable on("CLGEMM_SELF_TEST", nullptr);
  write_wrong_first_choice(kernels);
  Options options;
  options.kernel_folder = kernels.path().string();
  {
    Context context;
    CHECK(is_right_on(context, options));
  }
  REQUIRE_FALSE(DiskCache::from_environment().verdicts().empty());
  name_first_choice(options);
  Context later;
  const Armed armed({always("clCreateProgramWithBinary")});
  CHECK_FALSE(is_right_on(later, options));
  CHECK(FaultLayer::of_process().counted(0) == 0);
}

// Rusticl (Mesa 22.3) ends the process if it cannot start a thread.
bool driver_lives_without_threads() {
  if (shared_device_info().platform_name != "rusticl") return true;
  WARN("NOT TESTED with this driver: threads that cannot be started");
  return false;
}

TEST_CASE("a call works, only slower, if threads cannot be started") {
  if (!driver_lives_without_threads()) return;
  const TemporaryFolder cache;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  Options packed;
  packed.kernel = "tiled";  // it has three programs
  {
    Context context;
    threads_can_start = false;
    CHECK(is_right_on(context, packed));
    CHECK(is_right_on(context, {}));
    CHECK(DiskCache::from_environment().info().entries == 0);  // storing needs a thread
    threads_can_start = true;
    CHECK(is_right_on(context, {}));
  }
  CHECK(DiskCache::from_environment().info().entries != 0);
}

TEST_CASE("without threads, the calling thread copies the data for a device with its own memory") {
  if (!driver_lives_without_threads()) return;
  Context context = copying_context();
  const GemmCase gemm = make_gemm_case({Layout::row_major, Transpose::no, Transpose::no}, {300, 310, 320},
                                       {2, -1}, all_placements()[1]);
  const Data before = integer_data(gemm, 9);
  Options options;
  options.device_memory_limit = 256 * 1024;
  const auto& [form, shape, scalars, a, b, c] = gemm;
  std::vector<float> result = before.c;
  threads_can_start = false;
  context.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                before.a.data() + a.offset, a.ld, before.b.data() + b.offset, b.ld, scalars.beta,
                result.data() + c.offset, c.ld, options);
  threads_can_start = true;
  CHECK(error_ratio(gemm, before, result) == 0);
  CHECK(damage_around_c(gemm, before, result).empty());
}

// If an OpenCL implementation fails once to unmap a chunk, the chunk would stay mapped until the process
// ends.
TEST_CASE("the pinned chunks are unmapped, even if the first attempt fails") {
  FaultLayer& layer = FaultLayer::of_process();
  layer.record(true);
  {
    Context context = copying_context();
    CHECK(is_right_on(context, {}));
    layer.arm({nth("clEnqueueUnmapMemObject", 1)});
  }
  layer.disarm();
  CHECK(layer.failed() == std::vector<std::string>{"clEnqueueUnmapMemObject"});
  const std::vector<Command> commands = layer.record(false);
  const auto count = [&commands](const char* function) {
    return std::count_if(commands.begin(), commands.end(),
                         [&](const Command& command) { return command.function == function; });
  };
  CHECK(count("clEnqueueMapBuffer") >= 2);  // on the way in and on the way out
  CHECK(count("clEnqueueUnmapMemObject") == count("clEnqueueMapBuffer"));
}

TEST_CASE("if no part is small enough for the device, the Error contains the first failure") {
  Context context = copying_context();
  {
    const Armed armed({always("clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE)});
    CHECK_ERROR([&] { is_right_on(context, {}); }, out_of_memory, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
  }
  CHECK(is_right_on(context, {}));
}

TEST_CASE("a kernel that cannot be launched is replaced by another, unless it was named") {
  Context context;
  CHECK(is_right_on(context, {}));
  for (const cl_int status : {CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_PROGRAM_EXECUTABLE}) {
    const Armed armed({nth("clEnqueueNDRangeKernel", 1, status)});
    CHECK(is_right_on(context, {}));
    CHECK(FaultLayer::of_process().failed().size() == 1);
  }
  CHECK(contains(explain_on(context, {}), "cannot be launched: CL_INVALID_WORK_GROUP_SIZE"));
  {
    const Armed armed(
        {nth("clEnqueueNDRangeKernel", 1, CL_INVALID_VALUE)});  // this error is not about the kernel
    CHECK_ERROR([&] { is_right_on(context, {}); }, opencl_error, "CL_INVALID_VALUE");
  }
  Options named;
  named.kernel = "coalesced";
  const Armed armed({nth("clEnqueueNDRangeKernel", 1, CL_INVALID_WORK_ITEM_SIZE)});
  CHECK_ERROR([&] { is_right_on(context, named); }, device_limit_exceeded, "'coalesced'");
}

// PoCL (3.1) has crashed when several threads asked for devices first.
TEST_CASE("eight threads that make Contexts query devices one at a time") {
  constexpr int thread_count = 8;
  FaultLayer& layer = FaultLayer::of_process();
  layer.slow_down("clGetDeviceIDs");
  std::atomic<int> made{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < thread_count; ++i) {
      threads.emplace_back([&made] {
        const Context context;
        ++made;
      });
    }
  }
  CHECK(made == thread_count);
  CHECK(layer.most_at_once() == 1);
  layer.slow_down({});
}

TEST_CASE("a compiler whose log cannot be read") {
  const TemporaryFolder kernels;
  write_first_choice(kernels, "__kernel", "nonsense; __kernel");
  Options options;
  options.kernel_folder = kernels.path().string();
  Context context;
  const Armed armed({always("clGetProgramBuildInfo", CL_OUT_OF_HOST_MEMORY)});
  CHECK(is_right_on(context, options));  // with another kernel
  name_first_choice(options);
  CHECK_ERROR([&] { is_right_on(context, options); }, build_failed,
              "cannot read the compiler's log: CL_OUT_OF_HOST_MEMORY");
}

// Tests the public header's promise for a call on device memory that throws.
TEST_CASE("after an Error the event is unchanged, and nothing runs after the queue has finished") {
  const cl::CommandQueue queue = make_queue(true);
  FaultLayer& layer = FaultLayer::of_process();
  PackedCall call;
  call.options.scratch_limit = 20000;  // leads to several blocks
  cl::UserEvent go(shared_cl_context());
  auto* const untouched = reinterpret_cast<cl_event>(&layer);
  cl_event done = untouched;
  const auto run = [&](std::size_t ld_of_a) {
    const auto& [form, shape, scalars, a, b, c] = call.gemm;
    shared_context().sgemm(queue(), form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n,
                           shape.k, scalars.alpha, {call.buffers.a(), ld_of_a, a.offset},
                           matrix_at(call.buffers.b, b), scalars.beta, matrix_at(call.buffers.c, c), {go()},
                           &done, call.options);
  };
  layer.record(true);
  CHECK_ERROR([&] { run(call.gemm.shape.k - 1); }, invalid_leading_dimension, "lda");
  CHECK(layer.record(true).empty());
  {
    const Armed armed({nth("clEnqueueNDRangeKernel", 6)});  // in the second block, after C was scaled once
    CHECK_ERROR([&] { run(call.gemm.a.ld); }, out_of_memory, "clEnqueueNDRangeKernel");
  }
  const std::vector<Command> commands = layer.record(false);
  CHECK(std::count_if(commands.begin(), commands.end(),
                      [](const Command& one) { return one.function == "clEnqueueNDRangeKernel"; }) == 5);
  CHECK(done == untouched);
  go.setStatus(CL_COMPLETE);
  queue.finish();
  CHECK(damage_around_c(call.gemm, call.data, read_buffer(call.buffers.c)).empty());
  CHECK(same_bits(read_buffer(call.buffers.a), call.data.a));
  CHECK(same_bits(read_buffer(call.buffers.b), call.data.b));
  queue.enqueueWriteBuffer(call.buffers.c, CL_TRUE, 0, call.data.c.size() * sizeof(float),
                           call.data.c.data());
  call.run(queue).wait();
  CHECK(call.is_right());
}

TEST_CASE("if no other way is left, the Error contains the first failure") {
  const PackedCall call;
  const cl::CommandQueue queue = make_queue(false);
  call.run(queue).wait();
  const Armed armed({always("clEnqueueNDRangeKernel")});
  CHECK_ERROR([&] { call.run(queue); }, out_of_memory,
              "after another way had failed: clEnqueueNDRangeKernel failed: CL_OUT_OF_RESOURCES");
}

TEST_CASE("two failures at the same time do not mean a lost device") {
  const PackedCall call;
  const cl::CommandQueue queue = make_queue(false);
  call.run(queue).wait();
  {
    // The second fault hits the query that finds out if the device still works.
    const Armed armed({always("clSetKernelArg"), nth("clFinish", 1)});
    CHECK_ERROR([&] { call.run(queue); }, out_of_memory, "clSetKernelArg");
    const std::vector<std::string> failed = FaultLayer::of_process().failed();
    CHECK(std::count(failed.begin(), failed.end(), "clFinish") == 1);
  }
  const PackedCall next;
  next.run(queue).wait();
  CHECK(next.is_right());
}

TEST_CASE("a lost device gives device_lost, whatever else fails") {
  Context context;
  CHECK(is_right_on(context, {}));
  const Armed armed({always("clEnqueueNDRangeKernel"), always("clFinish"), always("clGetDeviceInfo")});
  for (int i = 0; i < 2; ++i) CHECK_ERROR([&] { is_right_on(context, {}); }, device_lost, "is lost");
}

std::size_t quarantined() {
  return DiskCache::from_environment().verdicts().size();
}

TEST_CASE("a single bit error in a self-test quarantines no kernel") {
  for (const unsigned long test : {1u, 2u, 3u}) {
    const TemporaryFolder cache;
    const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
    const ScopedVariable on("CLGEMM_SELF_TEST", nullptr);
    Context context;
    FaultLayer::of_process().corrupt_read(test);
    const std::string explained = explain_on(context, {});
    FaultLayer::of_process().corrupt_read(0);
    INFO(explained);
    CHECK_FALSE(says_failed(explained));
    CHECK(contains(explained, "kernel: " + first_choice()));
    CHECK(quarantined() == 0);
  }
}

TEST_CASE("a kernel that passed its self-test is not tested again by a later Context") {
  const TemporaryFolder cache;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  const ScopedVariable on("CLGEMM_SELF_TEST", nullptr);
  const auto launches_of_explain = [] {
    Context context;
    const Armed counting({nth("clEnqueueNDRangeKernel", std::numeric_limits<unsigned long>::max())});
    explain_on(context, {});
    return FaultLayer::of_process().counted(0);
  };
  CHECK(launches_of_explain() != 0);
  CHECK(launches_of_explain() == 0);
}

TEST_CASE("if no kernel compiles, the Error is that of the kernel that was tried last") {
  const ScopedVariable no_cache("CLGEMM_CACHE", "0");
  Context context;
  const Armed armed({always("clBuildProgram", CL_BUILD_PROGRAM_FAILURE)});
  CHECK_ERROR([&] { is_right_on(context, {}); }, build_failed, "does not compile on");
}

}  // namespace
}  // namespace clgemm
