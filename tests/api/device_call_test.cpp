// sgemm() on device memory and the caller's queue, with offsets, events, queues of both kinds, and buffers of
// every kind.
#include <algorithm>
#include <cstdint>

#include "launch/kernel_launch.hpp"
#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"

namespace clgemm {
namespace {

using namespace test;

// Enqueues a GEMM on any queue.
void enqueue(const GemmCase& gemm, const DeviceData& buffers, const cl::CommandQueue& queue,
             const WaitList& wait_for = {}, cl_event* done = nullptr, const Options& options = {}) {
  const auto& [form, shape, scalars, a, b, c] = gemm;
  sgemm(queue(), form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
        matrix_at(buffers.a, a), matrix_at(buffers.b, b), scalars.beta, matrix_at(buffers.c, c), wait_for,
        done, options);
}

// Returns a call with a kernel that needs both operands packed.
GemmCase packing_gemm() {
  return make_gemm_case({Layout::row_major, Transpose::yes, Transpose::yes}, {67, 45, 91}, {-1.5f, 1},
                        all_placements()[1]);
}

Options packing_options() {
  Options options;
  options.kernel = "tiled";
  return options;
}

cl_int status_of(const cl::Event& event) {
  return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
}

TEST_CASE("the done event completes when C is complete, on queues of both kinds") {
  for (const bool out_of_order : queue_kinds()) {
    const cl::CommandQueue queue = make_queue(out_of_order);
    const GemmCase gemm = packing_gemm();
    const Data data = random_data(gemm, 1);
    const DeviceData buffers = upload(data);
    cl::Event done;
    enqueue(gemm, buffers, queue, {}, &done(), packing_options());
    done.wait();
    CHECK(status_of(done) == CL_COMPLETE);
    check_result(gemm, data, read_buffer(buffers.c));
  }
}

TEST_CASE("the call flushes the queue, so the done event completes without another command") {
  const cl::CommandQueue queue = make_queue(false);
  const GemmCase gemm = packing_gemm();
  const Data data = random_data(gemm, 1);
  const DeviceData buffers = upload(data);
  cl::Event done;
  enqueue(gemm, buffers, queue, {}, &done());
  const std::vector<cl::Event> events = {done};
  std::vector<float> c(data.c.size());
  const cl::CommandQueue other = make_queue(false);
  other.enqueueReadBuffer(buffers.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), &events);
  check_result(gemm, data, c);
}

TEST_CASE("a flush is left out only if the device starts without one and no event leaves the queue") {
  const cl::CommandQueue queue = make_queue(false);
  const Sequence plain{queue, false, false};
  const Sequence by_events{queue, true, false};
  const Sequence observed{queue, false, true};
  Device starts;
  starts.starts_unflushed = true;
  CHECK_FALSE(needs_flush(starts, plain));
  CHECK(needs_flush(starts, by_events));
  CHECK(needs_flush(starts, observed));
  CHECK(needs_flush(Device{}, plain));
  CHECK(shared_device_info().starts_unflushed == (shared_device_info().nvidia_sm != 0));
}

TEST_CASE("nothing is read or written before the wait list is complete") {
  for (const bool out_of_order : queue_kinds()) {
    const cl::CommandQueue queue = make_queue(out_of_order);
    const GemmCase gemm = packing_gemm();
    const Data wrong = random_data(gemm, 1);
    const Data right = random_data(gemm, 2);
    const DeviceData buffers = upload(wrong);
    cl::UserEvent gate(shared_cl_context());
    cl::Event done;
    enqueue(gemm, buffers, queue, {gate()}, &done(), packing_options());
    CHECK(status_of(done) > CL_COMPLETE);
    const cl::CommandQueue other = make_queue(false);
    const auto write = [&other](const cl::Buffer& buffer, const std::vector<float>& elements) {
      other.enqueueWriteBuffer(buffer, CL_TRUE, 0, elements.size() * sizeof(float), elements.data());
      other.finish();
    };
    write(buffers.a, right.a);
    write(buffers.b, right.b);
    write(buffers.c, right.c);
    gate.setStatus(CL_COMPLETE);
    done.wait();
    check_result(gemm, right, read_buffer(buffers.c));
  }
}

TEST_CASE("a call with nothing to do still waits, and still gives a done event") {
  const cl::CommandQueue queue = make_queue(true);
  struct Case {
    Shape shape;
    Scalars scalars;
  };
  for (const Case& c :
       {Case{{0, 5, 5}, {1, 0}}, Case{{5, 0, 5}, {1, 0}}, Case{{5, 5, 0}, {1, 1}}, Case{{5, 5, 5}, {0, 1}}}) {
    cl::UserEvent gate(shared_cl_context());
    cl::Event done;
    const Data data = {{}, {}, std::vector<float>(25, 3.0f)};
    const cl::Buffer buffer = make_buffer(data.c);
    sgemm(queue(), Layout::row_major, Transpose::no, Transpose::no, c.shape.m, c.shape.n, c.shape.k,
          c.scalars.alpha, {nullptr, 5}, {nullptr, 5}, c.scalars.beta, {buffer(), 5}, {gate()}, &done());
    REQUIRE(done() != nullptr);
    CHECK(status_of(done) > CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    done.wait();
    CHECK(read_buffer(buffer) == data.c);
  }
}

TEST_CASE("alpha == 0 and k == 0 scale C on the device, and A and B may be null") {
  for (const GemmCase& gemm : {make_gemm_case(all_forms()[0], {7, 9, 0}, {1, -1.5f}, all_placements()[1]),
                               make_gemm_case(all_forms()[4], {7, 9, 4}, {0, -1.5f}, all_placements()[1]),
                               make_gemm_case(all_forms()[4], {7, 9, 4}, {0, 0}, all_placements()[1])}) {
    const Data data = random_data(gemm, 1);
    const DeviceData buffers{{}, {}, make_buffer(data.c)};
    cl::Event done;
    enqueue(gemm, buffers, make_queue(true), {}, &done());
    done.wait();
    INFO(describe(gemm));
    check_result(gemm, data, read_buffer(buffers.c));
  }
}

TEST_CASE("calls that run at the same time on an out-of-order queue do not share scratch memory") {
  const cl::CommandQueue first_queue = make_queue(true);
  const cl::CommandQueue second_queue = make_queue(true);
  std::vector<GemmCase> gemms;
  std::vector<Data> data;
  std::vector<DeviceData> buffers;
  for (std::uint32_t i = 0; i < 16; ++i) {
    gemms.push_back(
        make_gemm_case(all_forms()[i % 8], {60 + i, 90 - i, 70 + 3 * i}, {1, 1}, all_placements()[1]));
    data.push_back(random_data(gemms.back(), i));
    buffers.push_back(upload(data.back()));
  }
  const auto queue_of = [&](std::size_t i) { return i % 2 == 0 ? first_queue : second_queue; };
  // PoCL 3.1 sometimes ends the process if its first two launches of a kernel begin at the same time.
  const Device& device = shared_device_info();
  if (device.platform_name == "Portable Computing Language" && device.driver_version.rfind("3.1", 0) == 0) {
    for (std::size_t i = 0; i < gemms.size(); ++i) run_on_device(gemms[i], data[i], packing_options());
  }
  for (std::size_t i = 0; i < gemms.size(); ++i) {
    enqueue(gemms[i], buffers[i], queue_of(i), {}, nullptr, packing_options());
  }
  first_queue.finish();
  second_queue.finish();
  // Reads on the queue that wrote. With Mesa 22.3, other queues may not see the result yet.
  for (std::size_t i = 0; i < gemms.size(); ++i) {
    check_result(gemms[i], data[i], read_buffer(buffers[i].c, queue_of(i)));
  }
}

TEST_CASE("calls chained by events on an out-of-order queue run in order") {
  const cl::CommandQueue queue = make_queue(true);
  const GemmCase gemm = make_gemm_case(all_forms()[0], {48, 48, 48}, {1, 1}, all_placements()[0]);
  Data data = random_data(gemm, 1);
  const DeviceData buffers = upload(data);
  cl::Event last;
  for (int i = 0; i < 3; ++i) {
    const WaitList wait_for = last() == nullptr ? WaitList{} : WaitList{last()};
    cl::Event done;
    enqueue(gemm, buffers, queue, wait_for, &done(), packing_options());
    last = done;
  }
  last.wait();
  std::vector<float> expected = data.c;
  for (int i = 0; i < 3; ++i) {
    expected = run_on_device(gemm, data, packing_options());
    data.c = expected;
  }
  CHECK(same_bits(read_buffer(buffers.c), expected));
}

TEST_CASE("the matrices may be in one buffer") {
  const GemmCase base = make_gemm_case(all_forms()[0], {33, 35, 37}, {1, 1}, all_placements()[1]);
  const Data data = random_data(base, 1);
  std::vector<float> all = data.a;
  all.insert(all.end(), data.b.begin(), data.b.end());
  all.insert(all.end(), data.c.begin(), data.c.end());
  const cl::Buffer buffer = make_buffer(all);
  const std::size_t c_start = data.a.size() + data.b.size();
  for (const char* kernel : {"tiled", "coalesced", "float8"}) {
    Options options;
    options.kernel = kernel;
    const cl::Buffer fresh = make_buffer(all);
    sgemm(shared_queue()(), base.form.layout, Transpose::no, Transpose::no, 33, 35, 37, 1,
          {fresh(), base.a.ld, base.a.offset}, {fresh(), base.b.ld, data.a.size() + base.b.offset}, 1,
          {fresh(), base.c.ld, c_start + base.c.offset}, {}, nullptr, options);
    const std::vector<float> result = read_buffer(fresh);
    INFO(kernel);
    check_result(base, data, {result.begin() + static_cast<std::ptrdiff_t>(c_start), result.end()});
    CHECK(std::equal(data.a.begin(), data.a.begin() + 100, result.begin(),
                     [](float x, float y) { return same_bits({x}, {y}); }));
  }
}

TEST_CASE("sub-buffers are buffers") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {64, 64, 64}, {1, -1.5f}, all_placements()[0]);
  const Data data = random_data(gemm, 1);
  const std::size_t start = 4096;  // bytes, aligned for every device
  const auto sub_buffer_of = [start](const std::vector<float>& elements) {
    std::vector<float> all(start / sizeof(float), 55.0f);
    all.insert(all.end(), elements.begin(), elements.end());
    const cl_buffer_region region{start, elements.size() * sizeof(float)};
    cl::Buffer parent = make_buffer(all);
    return parent.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  };
  for (const char* kernel : {"coalesced", "float8"}) {
    Options options;
    options.kernel = kernel;
    const DeviceData buffers{sub_buffer_of(data.a), sub_buffer_of(data.b), sub_buffer_of(data.c)};
    enqueue(gemm, buffers, shared_queue(), {}, nullptr, options);
    INFO(kernel);
    check_result(gemm, data, read_buffer(buffers.c));
  }
}

TEST_CASE("buffers on the caller's memory work with any alignment of a float, also with vector loads") {
  for (std::size_t shift = 0; shift < 9; ++shift) {
    for (const char* kernel : {"float4", "float8", "coalesced"}) {
      const GemmCase gemm = make_gemm_case(all_forms()[0], {64, 64, 64}, {1, 1}, all_placements()[0]);
      const Data data = random_data(gemm, 1);
      // Makes a copy that is aligned to 64 bytes and then shifted by `shift` floats.
      const auto host_copy = [shift](const std::vector<float>& elements, std::vector<float>& memory) {
        memory.assign(elements.size() + 32, 0.0f);
        const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
        float* start = memory.data() + (64 - misaligned) % 64 / sizeof(float) + shift;
        std::copy(elements.begin(), elements.end(), start);
        return cl::Buffer(shared_cl_context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                          elements.size() * sizeof(float), start);
      };
      std::vector<float> a_memory;
      std::vector<float> b_memory;
      std::vector<float> c_memory;
      const DeviceData buffers{host_copy(data.a, a_memory), host_copy(data.b, b_memory),
                               host_copy(data.c, c_memory)};
      Options options;
      options.kernel = kernel;
      enqueue(gemm, buffers, shared_queue(), {}, nullptr, options);
      INFO(kernel << " at a shift of " << shift);
      check_result(gemm, data, read_buffer(buffers.c));
    }
  }
}

TEST_CASE("a buffer that ends with its matrix is large enough") {
  for (const Form& form : all_forms()) {
    const GemmCase gemm = make_gemm_case(form, {33, 35, 37}, {1, 1}, {1, 3, 5, 0});
    const Data data = random_data(gemm, 1);
    check_on_device(gemm, data, {});
  }
}

}  // namespace
}  // namespace clgemm
