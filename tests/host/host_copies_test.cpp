// Host matrices by copies on the device, as on a discrete GPU. The device memory is small, so there are many
// parts.
#include "host/host_copies.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "context/context.hpp"
#include "support/failing_device.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

// Returns a state like that of a device with memory of its own.
Context::State& state() {
  static auto* const result = [] {
    auto* const made = new Context::State(shared_device());
    made->host().always_copy();
    return made;
  }();
  return *result;
}

HostGemm host_gemm_of(const GemmCase& gemm, Data& data) {
  const auto& [form, shape, scalars, a, b, c] = gemm;
  const SgemmCall call{{shape.m, shape.n, shape.k},
                       form.layout,
                       form.transpose_a,
                       form.transpose_b,
                       scalars.alpha,
                       scalars.beta,
                       a.ld,
                       b.ld,
                       c.ld};
  return check_host_gemm(call, data.a.data() + a.offset, data.b.data() + b.offset, data.c.data() + c.offset);
}

std::vector<float> run_on_copies(const GemmCase& gemm, const Data& data, const Options& options) {
  Data used = data;
  state().host().multiply(host_gemm_of(gemm, used), options);
  CHECK(same_bits(used.a, data.a));
  CHECK(same_bits(used.b, data.b));
  return used.c;
}

Options with_limit(std::size_t bytes) {
  Options result;
  result.device_memory_limit = bytes;
  return result;
}

void check_on_copies(const GemmCase& gemm, const Options& options) {
  INFO(describe(gemm) << ", " << options.device_memory_limit << " bytes");
  const Data data = random_data(gemm, 7);
  check_result(gemm, data, run_on_copies(gemm, data, options));
}

constexpr std::size_t little = 128 * 1024;

// Taller, wider and deeper than a tile, odd sizes, and a multiple of a tile.
const std::vector<Shape> shapes = {{301, 40, 30}, {40, 301, 30}, {40, 30, 701}, {128, 128, 128}, {257, 1, 1}};

TEST_CASE("parts of every form and shape, with gaps and without") {
  for (const Form& form : all_forms()) {
    for (const Shape& shape : shapes) {
      for (const std::size_t placement : {0u, 1u}) {
        check_on_copies(make_gemm_case(form, shape, {-1.5f, 1}, all_placements()[placement]),
                        with_limit(little));
      }
    }
  }
}

TEST_CASE("several rounds, and several depths in each") {
  for (const std::size_t form : {0u, 3u, 5u}) {
    for (const float beta : {0.0f, 0.5f}) {
      const GemmCase gemm =
          make_gemm_case(all_forms()[form], {307, 290, 601}, {1, beta}, all_placements()[1]);
      const StreamPlan plan = state().host().stream_plan(
          canonical(call_of(SgemmShape{.m = 307, .n = 290, .k = 601})), {}, little);
      REQUIRE(rounds_of(plan).size() > 1);
      REQUIRE(plan.depths() > 1);
      check_on_copies(gemm, with_limit(little));
    }
  }
}

TEST_CASE("the same call gives the same bits, by the option and by the environment") {
  const GemmCase gemm = make_gemm_case(all_forms()[3], {300, 290, 700}, {1, 1}, all_placements()[1]);
  const Data data = random_data(gemm, 8);
  const auto first = run_on_copies(gemm, data, with_limit(std::size_t{1} << 20));
  CHECK(same_bits(first, run_on_copies(gemm, data, with_limit(std::size_t{1} << 20))));
  const ScopedVariable variable("CLGEMM_DEVICE_MEMORY_MIB", "1");
  CHECK(same_bits(first, run_on_copies(gemm, data, {})));
  CHECK(state().host().device_memory_limit({}) == std::size_t{1} << 20);
}

TEST_CASE("a limit that is not a number, and a limit that is too small") {
  std::vector<float> matrix(100 * 100, 1.0f);
  std::vector<float> c(100 * 100);
  const SgemmCall call{{100, 100, 100}, Layout::row_major, Transpose::no, Transpose::no, 1, 0, 100, 100, 100};
  const HostGemm host = check_host_gemm(call, matrix.data(), matrix.data(), c.data());
  CHECK_ERROR([&] { state().host().multiply(host, with_limit(1000)); }, out_of_memory, "1000 bytes");
  const ScopedVariable variable("CLGEMM_DEVICE_MEMORY_MIB", "4G");
  CHECK_ERROR([&] { state().host().multiply(host, {}); }, invalid_argument,
              "CLGEMM_DEVICE_MEMORY_MIB is '4G'");
}

TEST_CASE("zeros of beta on copies: C of NaN is not read") {
  for (const std::size_t form : {0u, 5u})
    check_on_copies(make_gemm_case(all_forms()[form], {300, 20, 10}, {1, 0}, all_placements()[1]),
                    with_limit(little));
}

TEST_CASE("matrices that the caller has pinned are copied directly") {
  for (const std::size_t form : {0u, 3u, 5u}) {
    Options options = with_limit(little);
    options.host_matrices_are_pinned = true;
    check_on_copies(make_gemm_case(all_forms()[form], {307, 290, 601}, {1, 1}, all_placements()[1]), options);
  }
}

TEST_CASE("computing on copies and computing in place give the same bits") {
  const GemmCase gemm = make_gemm_case(all_forms()[1], {300, 70, 50}, {1, 1}, all_placements()[1]);
  const Data data = random_data(gemm, 9);
  Options options = with_limit(std::size_t{1} << 20);  // enough for the whole k
  options.kernel = "tiled";
  CHECK(same_bits(run_on_copies(gemm, data, options), run_on_host(gemm, data, options)));
}

TEST_CASE("several threads at once") {
  const GemmCase gemm = make_gemm_case(all_forms()[2], {200, 150, 300}, {1, 1}, all_placements()[1]);
  const Data data = random_data(gemm, 10);
  const auto expected = run_on_copies(gemm, data, with_limit(little));
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(4);
  for (auto& result : results) {
    threads.emplace_back([&] {
      Data used = data;
      state().host().multiply(host_gemm_of(gemm, used), with_limit(little));
      result = used.c;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) CHECK(same_bits(result, expected));
}

TEST_CASE("a copy that fails is an Error, and the next call is right") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {307, 290, 601}, {1, 0}, all_placements()[0]);
  Data data = random_data(gemm, 11);
  for (const std::size_t reads : {0u, 1u, 3u}) {
    fail_after_reads(nullptr, reads);
    CHECK_ERROR([&] { state().host().multiply(host_gemm_of(gemm, data), with_limit(little)); }, opencl_error,
                "clEnqueueReadBuffer");
    heal();
    check_on_copies(gemm, with_limit(little));
  }
}

// A call with this option and beta must be right, or end with an Error. Afterwards, it must be right.
void check_right_or_error(const GemmCase& gemm, const Data& data, const Options& options) {
  std::vector<float> c;
  try {
    c = run_on_copies(gemm, data, options);
  } catch (const Error&) {
    return;
  }
  check_result(gemm, data, c);
}

TEST_CASE("a device that is out of resources once gives a right result or an Error, with any beta") {
  for (const bool is_pinned : {false, true}) {
    Options options = with_limit(little);
    options.host_matrices_are_pinned = is_pinned;
    for (const float beta : {0.0f, 1.0f, 0.5f}) {
      const GemmCase gemm = make_gemm_case(all_forms()[0], {307, 290, 601}, {1, beta}, all_placements()[1]);
      const Data data = random_data(gemm, 14);
      for (std::size_t kernels = 0; kernels < 120; kernels += 7) {
        INFO("pinned: " << is_pinned << ", beta " << beta << ", kernel " << kernels);
        fail_one_kernel(kernels, CL_OUT_OF_RESOURCES);
        check_right_or_error(gemm, data, options);
        heal();
      }
    }
  }
}

TEST_CASE("nothing is delivered after a streamed call has thrown") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {307, 290, 601}, {1, 0}, all_placements()[0]);
  Data data = random_data(gemm, 15);
  const HostGemm host = host_gemm_of(gemm, data);
  const StreamPlan plan = state().host().stream_plan(host.problem, {}, little);
  const cl::CommandQueue queue(state().context(), state().device());
  ScratchPool memory(state().context(), CL_MEM_READ_WRITE, little);
  slow_reads(20);
  for (int steps = 10; steps < 50; steps += 10) {
    int enqueued = 0;
    // Multiplies nothing, because the result does not matter here.
    const GemmDevice device{state().info(), state().context(), queue,
                            [&](const DeviceGemm&, const Events& wait_for) -> Enqueued {
                              if (++enqueued == steps) throw cl::Error(CL_INVALID_VALUE, "of the test");
                              cl::Event done;
                              queue.enqueueMarkerWithWaitList(&wait_for, &done);
                              return {{done}, {done}};
                            }};
    std::atomic<bool> has_thrown = false;
    std::atomic<int> too_late = 0;
    std::vector<Round> rounds = rounds_of(plan);
    const auto next_round = [&]() -> std::optional<Round> {
      if (rounds.empty()) return std::nullopt;
      const Round next = rounds.front();
      rounds.erase(rounds.begin());
      return next;
    };
    const StreamedCall call{host, plan, next_round, false, [&](const Range&, const Range&) {
                              if (has_thrown) ++too_late;
                            }};
    HostCopies copies(state().context(), state().device(), {4096, 2, 2});
    CHECK_ERROR([&] { multiply_streamed(device, copies, memory, call); }, opencl_error, "of the test");
    has_thrown = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(too_late == 0);
  }
  heal();
}

TEST_CASE("if the device drops a kernel, the call throws an Error, in place and on copies") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {307, 290, 601}, {1, 1}, all_placements()[1]);
  Data data = random_data(gemm, 16);
  Context::State in_place(shared_device());
  in_place.host().multiply(host_gemm_of(gemm, data), {});
  run_on_copies(gemm, data, with_limit(little));
  for (const std::size_t kernels : {0u, 5u, 30u}) {
    INFO(kernels);
    drop_one_kernel(kernels);
    CHECK_ERROR([&] { state().host().multiply(host_gemm_of(gemm, data), with_limit(little)); }, opencl_error,
                "CL_INVALID_OPERATION");
    heal();
  }
  drop_one_kernel(0);
  CHECK_ERROR([&] { in_place.host().multiply(host_gemm_of(gemm, data), {}); }, opencl_error,
              "CL_INVALID_OPERATION");
  heal();
}

TEST_CASE("even if waiting fails, the device no longer uses the matrices when the cause is thrown") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {400, 400, 400}, {1, 0}, all_placements()[0]);
  Data data = random_data(gemm, 12);
  Options slow;
  slow.kernel = "naive";
  Context::State in_place(shared_device());
  if (!in_place.host().works_in_place()) {
    WARN("NOT TESTED on this device: it does not work in the caller's memory");
    return;
  }
  std::fill(data.c.begin(), data.c.end(), -1.0f);
  in_place.host().multiply(host_gemm_of(gemm, data), slow);
  const std::vector<float> expected = data.c;
  for (const int finishes : {1, 1000}) {
    std::fill(data.c.begin(), data.c.end(), -1.0f);
    fail_maps(1);
    fail_finishes(finishes);
    CHECK_ERROR([&] { at_boundary([&] { in_place.host().multiply(host_gemm_of(gemm, data), slow); }); },
                opencl_error, "clEnqueueMapBuffer");
    const std::vector<float> at_return = data.c;
    heal();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(same_bits(data.c, at_return));
    CHECK(same_bits(data.c, expected));
  }
}

TEST_CASE("matrices larger than an allocation are used in place, part by part") {
  for (const Form& form : all_forms()) {
    const GemmCase gemm = make_gemm_case(form, {130, 70, 90}, {-1.5f, 1}, all_placements()[1]);
    const Data data = random_data(gemm, 13);
    Data used = data;
    const std::vector<HostGemm> parts = parts_in_place(host_gemm_of(gemm, used), 4000);
    REQUIRE(parts.size() > 8);
    for (const HostGemm& part : parts) {
      const Extents extents = extents_of(part.problem);
      CHECK(std::max({extents.a, extents.b, extents.c}) <= 1000);
      Context::State& in_place = state_of(shared_context());
      in_place.host().multiply(part, {});
    }
    check_result(gemm, data, used.c);
  }
  // A line that is larger than an allocation cannot be a part.
  std::vector<float> line(2000);
  const SgemmCall call{{1, 2000, 1}, Layout::row_major, Transpose::no, Transpose::no, 1, 0, 1, 2000, 2000};
  CHECK(parts_in_place({canonical(call), line.data(), line.data(), line.data()}, 4000).empty());
}

// Copies a block of lines with gaps to the device and back.
void check_there_and_back(const Lines& lines, std::size_t chunk_bytes) {
  INFO(lines.count << " lines of " << lines.length << ", ld " << lines.ld << ", chunks of " << chunk_bytes);
  const std::size_t elements = (lines.count - 1) * lines.ld + lines.length;
  const std::vector<float> host = random_elements(elements + 5, 3);
  const std::size_t ld = block_ld(lines.length);
  const DeviceBlock block{cl::Buffer(state().context(), CL_MEM_READ_WRITE, lines.count * ld * sizeof(float)),
                          ld};
  std::vector<float> back(elements + 5, -7.0f);
  std::size_t delivered = 0;
  bool is_early = false;  // the arrival of a line is reported
  {
    HostCopies copies(state().context(), state().device(), {chunk_bytes, 3, 1});
    const std::vector<cl::Event> uploaded = copies.enqueued(copies.upload(host.data(), lines, block, {}));
    copies.wait(copies.download(block, {uploaded.back(), uploaded}, back.data(), lines,
                                [&](std::size_t first, std::size_t count) {
                                  delivered += count;
                                  for (std::size_t line = first; line < first + count; ++line)
                                    is_early |= back[line * lines.ld + lines.length - 1] == -7.0f;
                                }));
  }
  CHECK(delivered == lines.count);
  CHECK_FALSE(is_early);
  for (std::size_t i = 0; i < back.size(); ++i) {
    const bool belongs = i < elements && i % lines.ld < lines.length;
    REQUIRE(back[i] == (belongs ? host[i] : -7.0f));
  }
}

TEST_CASE("pinned copies in chunks of some lines, of one, and of less than one") {
  for (const Lines& lines :
       {Lines{1, 1, 1}, Lines{7, 10, 10}, Lines{64, 33, 40}, Lines{100, 256, 256}, Lines{5, 1000, 1003}}) {
    for (const std::size_t chunk_bytes : {4u, 132u, 300u, 4096u, 1048576u})
      check_there_and_back(lines, chunk_bytes);
  }
}

TEST_CASE("a failed copy stays failed if a later one succeeds") {
  const Lines lines{2, 100000, 100000};
  const std::vector<float> host = random_elements(lines.count * lines.ld, 3);
  const DeviceBlock block{cl::Buffer(state().context(), CL_MEM_READ_WRITE, host.size() * sizeof(float)),
                          lines.ld};
  std::vector<float> back(host.size());
  HostCopies copies(state().context(), state().device(), {lines.length * sizeof(float), 1, 2});
  const std::vector<cl::Event> uploaded = copies.enqueued(copies.upload(host.data(), lines, block, {}));
  std::atomic<bool> has_failed = false;
  const auto download = copies.download(block, {uploaded.back(), uploaded}, back.data(), lines,
                                        [&](std::size_t line, std::size_t) {
                                          if (line == 0) {
                                            has_failed = true;
                                            throw Error(ErrorCode::internal_error, "the first line");
                                          }
                                          for (int i = 0; i < 100 && !has_failed; ++i)
                                            std::this_thread::sleep_for(std::chrono::milliseconds(10));
                                          std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                        });
  CHECK_ERROR(
      [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        copies.wait(download);
      },
      internal_error, "the first line");
}

}  // namespace
}  // namespace clgemm
