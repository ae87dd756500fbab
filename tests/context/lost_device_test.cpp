// A device that dies during a call (support/dying_device.hpp): the error of this call, and those of all later
// calls.
#include <clgemm/clgemm.h>

#include <clgemm/clgemm.hpp>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "support/dying_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::ScopedVariable;

constexpr std::size_t side = 24;
constexpr std::size_t elements = side * side;

// A device that dies in one test works again in the next.
struct MortalDevice {
  MortalDevice() = default;
  ~MortalDevice() { test::revive_device(); }
  MortalDevice(const MortalDevice&) = delete;
  MortalDevice& operator=(const MortalDevice&) = delete;
};

Options deadly() {
  Options options;
  options.kernel = "tiled";
  options.parameters = {{"TS", 8}};
  return options;
}
constexpr const char* deadly_option = "-DTS=8";

void multiply_on_host(Context& context, const Options& options = {}) {
  const std::vector<float> ones(elements, 1.0f);
  std::vector<float> c(elements);
  context.sgemm(Layout::row_major, Transpose::no, Transpose::no, side, side, side, 1.0f, ones.data(), side,
                ones.data(), side, 0.0f, c.data(), side, options);
  CHECK(c == std::vector<float>(elements, float{side}));
}

// Matrices in the memory of a Context's device.
struct OnDevice {
  explicit OnDevice(const Context& of) : context(of.context(), true), queue(of.queue(), true) {}

  cl::Buffer matrix() const { return cl::Buffer(context, CL_MEM_READ_WRITE, elements * sizeof(float)); }

  cl::Context context;
  cl::CommandQueue queue;
  cl::Buffer a = matrix(), b = matrix(), c = matrix();
};

// Uses the free functions' Context if none is given.
void multiply(const OnDevice& on, const Options& options = {}, Context* context = nullptr) {
  const auto call = [&](auto&& sgemm) {
    sgemm(on.queue(), Layout::row_major, Transpose::no, Transpose::no, side, side, side, 1.0f,
          DeviceMatrix{on.a(), side}, DeviceMatrix{on.b(), side}, 0.0f, DeviceMatrix{on.c(), side},
          WaitList{}, nullptr, options);
  };
  if (context == nullptr) {
    call([](auto&&... arguments) { sgemm(arguments...); });
  } else {
    call([&](auto&&... arguments) { context->sgemm(arguments...); });
  }
}

TEST_CASE("the call that loses the device throws device_lost, and so do all later calls on that Context") {
  const MortalDevice device;
  const ScopedVariable variable("CLGEMM_TEST_DEADLY_OPTION", deadly_option);
  Context context;
  const OnDevice on(context);
  multiply_on_host(context);
  SECTION("a call on host matrices") {
    if (describe(cl::Device(context.device(), true)).shares_host_memory) {
      CHECK_ERROR([&] { multiply_on_host(context, deadly()); }, matrices_in_use,
                  "may still use the matrices");
    } else {
      CHECK_ERROR([&] { multiply_on_host(context, deadly()); }, device_lost, "is lost");
    }
  }
  SECTION("a call on device memory") {
    CHECK_ERROR([&] { multiply(on, deadly(), &context); }, device_lost, "CL_OUT_OF_RESOURCES");
  }
  SECTION("a build for a later call") {
    test::kill_device();
    CHECK_ERROR([&] { context.prepare({{.m = 8, .n = 8, .k = 8}}, deadly()); }, device_lost,
                "does not compile");
  }
  SECTION("a call after the one that lost the device") {
    multiply(on, {}, &context);
    test::kill_device();
    CHECK_ERROR([&] { multiply(on, {}, &context); }, device_lost, "clFlush");
  }
  SECTION("a call that finds no resources") {
    context.prepare({{.m = side, .n = side, .k = side}}, deadly());
    const ScopedVariable no_resources("CLGEMM_TEST_OPTION_WITHOUT_RESOURCES", deadly_option);
    test::kill_device();
    CHECK_ERROR([&] { multiply(on, deadly(), &context); }, device_lost, "clEnqueueNDRangeKernel");
  }
  CHECK_ERROR([&] { multiply_on_host(context); }, device_lost, "is lost");
  CHECK_ERROR([&] { multiply(on, {}, &context); }, device_lost, "is lost");
  CHECK_ERROR([&] { context.prepare({{.m = 8, .n = 8, .k = 8}}); }, device_lost, "is lost");
  CHECK_ERROR([&] { context.explain({.m = 8, .n = 8, .k = 8}); }, device_lost, "is lost");
  CHECK_ERROR([&] { context.sgemm_scratch_bytes({.m = 8, .n = 8, .k = 8}); }, device_lost, "is lost");
  CHECK_ERROR(
      [&] {
        context.sgemm_batched(on.queue(), Layout::row_major, Transpose::no, Transpose::no, side, side, side,
                              {1.0f}, {{on.a(), side}}, {{on.b(), side}}, {0.0f}, {{on.c(), side}});
      },
      device_lost, "is lost");
  CHECK_ERROR([&] { const Context another(context.device()); }, device_lost,
              "this process has lost the device");

  // If OpenCL can make a new context after all, calls work again.
  test::revive_device();
  Context another(context.device());
  multiply_on_host(another);
  CHECK_ERROR([&] { multiply_on_host(context); }, device_lost, "is lost");
}

TEST_CASE("CL_OUT_OF_RESOURCES on a healthy device means out_of_memory, and later calls work") {
  const MortalDevice device;
  Context context;
  const OnDevice on(context);
  {
    const ScopedVariable variable("CLGEMM_TEST_OPTION_WITHOUT_RESOURCES", deadly_option);
    // Smaller blocks are tried until none is left.
    CHECK_ERROR([&] { multiply(on, deadly(), &context); }, out_of_memory, "scratch");
    CHECK_ERROR([&] { multiply_on_host(context, deadly()); }, out_of_memory, "scratch");
  }
  multiply(on, deadly(), &context);
  multiply_on_host(context, deadly());
}

TEST_CASE("the free functions throw device_lost until their contexts are released, also in C") {
  const MortalDevice device;
  const Context context;
  const OnDevice on(context);
  multiply(on);
  test::kill_device();
  CHECK_ERROR([&] { multiply(on); }, device_lost, "is lost");
  test::revive_device();
  CHECK_ERROR([&] { multiply(on); }, device_lost, "is lost");
  const clgemm_status status = clgemm_sgemm(
      nullptr, on.queue(), CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANSPOSE, CLGEMM_NO_TRANSPOSE, side, side, side, 1.0f,
      {on.a(), side, 0}, {on.b(), side, 0}, 0.0f, {on.c(), side, 0}, 0, nullptr, nullptr, nullptr);
  CHECK(status == CLGEMM_DEVICE_LOST);
  CHECK(std::string(clgemm_last_error()).find("is lost") != std::string::npos);
  release_contexts();
  multiply(on);
}

}  // namespace
}  // namespace clgemm
