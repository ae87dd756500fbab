// Several devices share one GEMM. PoCL makes two devices of one processor (POCL_DEVICES="pthread basic").
#include "devices/members.hpp"

#include <clgemm/clgemm.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "support/failing_device.hpp"
#include "support/on_device.hpp"
#include "support/system.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

// Returns true if there are several devices. A single one would test nothing.
bool has_several() {
  if (all_devices().size() > 1) return true;
  WARN("NOT TESTED: there is one device");
  return false;
}

std::string name_of(cl_device_id device) {
  return cl::Device(device, true).getInfo<CL_DEVICE_NAME>();
}

// The devices work on the matrices in place, or on copies in memory of their own.
enum class Way { in_place, on_copies };

DeviceSet all_of(Way way) {
  DeviceSet result("all");
  for (Member* member : state_of(result).members()) {
    if (way == Way::on_copies) member->state.host().always_copy();
  }
  return result;
}

// Returns options with so little memory on each device that everything is streamed. They name the kernels, so
// that all devices use the same.
Options with_little_memory() {
  Options options;
  options.device_memory_limit = 256 * 1024;
  return options;
}

void run_in(DeviceSet& devices, const GemmCase& gemm, Data& used, const Options& options) {
  const auto& [form, shape, scalars, a, b, c] = gemm;
  devices.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                used.a.data() + a.offset, a.ld, used.b.data() + b.offset, b.ld, scalars.beta,
                used.c.data() + c.offset, c.ld, options);
}

std::vector<float> run_on(DeviceSet& devices, const GemmCase& gemm, const Data& data,
                          const Options& options = with_little_memory()) {
  Data used = data;
  run_in(devices, gemm, used, options);
  CHECK(same_bits(used.a, data.a));
  CHECK(same_bits(used.b, data.b));
  return used.c;
}

void check_on(DeviceSet& devices, const GemmCase& gemm) {
  INFO(describe(gemm));
  const Data data = random_data(gemm, 7);
  check_result(gemm, data, run_on(devices, gemm, data));
}

TEST_CASE("lists of devices") {
  const std::vector<cl::Device> all = all_devices();
  CHECK(find_devices("all").size() == all.size());
  CHECK(find_devices("0")[0]() == all[0]());
  CHECK(find_devices("0, 0,all").size() == all.size());
  CHECK(find_devices(" all " + name_of(all[0]()).substr(0, 4))[0]() == all[0]());
  CHECK_ERROR([] { find_devices(""); }, invalid_argument, "is empty");
  CHECK_ERROR([] { find_devices(" , "); }, invalid_argument, "is empty");
  CHECK_ERROR([] { find_devices("0,all of Babbage"); }, device_not_found, "all of Babbage");
  CHECK_ERROR([] { find_devices("999"); }, device_not_found, "999");
  CHECK_ERROR([] { DeviceSet{std::vector<cl_device_id>{}}; }, invalid_argument, "is empty");
  CHECK_ERROR([] { DeviceSet{std::vector<cl_device_id>{nullptr}}; }, invalid_argument, "null");
  const DeviceSet handles(std::vector<cl_device_id>{all[0](), all[0]()});
  CHECK(handles.devices() == std::vector<cl_device_id>{all[0]()});
}

// Large enough to be shared. This depends on predictions, and PoCL's two devices have similar ones.
const Shape shared_shape{1030, 530, 1290};

bool are_of_one_platform(const std::vector<cl_device_id>& devices) {
  const auto platform_of = [](cl_device_id device) {
    return cl::Device(device, true).getInfo<CL_DEVICE_PLATFORM>();
  };
  return std::all_of(devices.begin(), devices.end(), [&](cl_device_id device) {
    return platform_of(device) == platform_of(devices.front());
  });
}

// Returns the devices that get a share of a GEMM of shared_shape, the widest first. Some devices may get no
// share. That happens to PoCL's two devices on a Zen 4, too. One of them has the name of a Zen 5 and its
// rates, which are three times too high, and the other one is measured by the probe.
std::vector<cl_device_id> sharers(DeviceSet& devices) {
  const std::string text = devices.explain_host(
      {.m = shared_shape.m, .n = shared_shape.n, .k = shared_shape.k}, with_little_memory());
  INFO(text);
  std::vector<cl_device_id> result = devices.devices();
  const auto has_none = [&](cl_device_id device) {
    return text.find(" x " + name_of(device)) == std::string::npos;
  };
  result.erase(std::remove_if(result.begin(), result.end(), has_none), result.end());
  if (result.size() < 2) {
    WARN("NOT TESTED: one of these devices is best alone at " << shared_shape.m << " x " << shared_shape.n
                                                              << " x " << shared_shape.k);
  }
  const auto units = [](cl_device_id device) {
    return cl::Device(device, true).getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](cl_device_id one, cl_device_id other) { return units(one) > units(other); });
  return result;
}

TEST_CASE("all forms on several devices, with gaps, in place and on copies") {
  if (!has_several()) return;
  for (const Way way : {Way::in_place, Way::on_copies}) {
    DeviceSet devices = all_of(way);
    for (const Form& form : all_forms()) {
      check_on(devices, make_gemm_case(form, {301, 203, 97}, {-1.5f, 1}, all_placements()[1]));
    }
    check_on(devices, make_gemm_case(all_forms()[1], shared_shape, {1, 1}, all_placements()[1]));
    check_on(devices, make_gemm_case(all_forms()[6], shared_shape, {1, 0}, all_placements()[1]));
    check_on(devices, make_gemm_case(all_forms()[0], {1, 1, 1}, {1, 0}, all_placements()[0]));
  }
}

TEST_CASE("each of several devices computes a part of C, and the same list gives the same bits") {
  if (!has_several()) return;
  const GemmCase gemm = make_gemm_case(all_forms()[0], shared_shape, {1, 1}, all_placements()[1]);
  const Data data = random_data(gemm, 8);
  for (const Way way : {Way::in_place, Way::on_copies}) {
    DeviceSet devices = all_of(way);
    const std::size_t count = sharers(devices).size();
    if (count > 1 && are_of_one_platform(devices.devices())) CHECK(count == devices.devices().size());
    const auto first = run_on(devices, gemm, data);
    for (int again = 0; again < 3; ++again) CHECK(same_bits(first, run_on(devices, gemm, data)));
    DeviceSet others = all_of(way);
    CHECK(same_bits(first, run_on(others, gemm, data)));
  }
}

TEST_CASE("each device gets whole rows of C if any device writes C in place") {
  if (!has_several()) return;
  const auto explained = [](DeviceSet& devices) {
    return devices.explain_host({.m = 530, .n = 6030, .k = 1290}, with_little_memory());
  };
  DeviceSet all = all_of(Way::on_copies);
  if (sharers(all).size() < 2) return;
  CHECK(explained(all).find(": columns 0 to ") != std::string::npos);
  for (std::size_t in_place = 0; in_place < all.devices().size(); ++in_place) {
    DeviceSet mixed = all_of(Way::in_place);
    std::size_t number = 0;
    for (Member* member : state_of(mixed).members()) {
      if (number++ != in_place) member->state.host().always_copy();
    }
    const std::string text = explained(mixed);
    CAPTURE(in_place, text);
    CHECK(text.find(": rows 0 to ") != std::string::npos);
    CHECK(text.find(": columns ") == std::string::npos);
  }
}

TEST_CASE("a device that fails during a call is left out, and the others do its work") {
  if (!has_several()) return;
  struct Failure {
    Way way;
    bool widest;        // the one with the widest share, or the narrowest
    std::size_t after;  // kernels
  };
  const GemmCase gemm = make_gemm_case(all_forms()[0], shared_shape, {-1.5f, 1}, all_placements()[1]);
  for (const Failure& failure : {Failure{Way::in_place, true, 0},
                                 {Way::in_place, true, 1},
                                 {Way::in_place, false, 0},
                                 {Way::on_copies, true, 0},
                                 {Way::on_copies, true, 9},
                                 {Way::on_copies, false, 1},
                                 {Way::on_copies, false, 9}}) {
    DeviceSet devices = all_of(failure.way);
    const std::vector<cl_device_id> sharing = sharers(devices);
    if (sharing.size() < 2) return;
    const cl_device_id failing = failure.widest ? sharing.front() : sharing.back();
    run_on(devices, gemm, random_data(gemm, 1));  // now all kernels are compiled and trusted
    const std::size_t count = devices.devices().size();
    INFO(name_of(failing) << " fails after " << failure.after
                          << (failure.way == Way::in_place ? ", in place" : ", on copies"));
    fail_after_kernels(failing, failure.after);
    check_on(devices, gemm);
    heal();
    CHECK(devices.devices().size() == count - 1);
  }
}

TEST_CASE("a device that fails after it has written a part of C in place") {
  if (!has_several()) return;
  const GemmCase gemm = make_gemm_case(all_forms()[3], shared_shape, {1, 1}, all_placements()[1]);
  Options options;
  options.kernel = "tiled";
  options.scratch_limit = 256 * 1024;  // several kernels cover k, and each adds to C
  const Data data = random_data(gemm, 11);
  for (const std::size_t kernels : {9u, 20u}) {
    DeviceSet devices = all_of(Way::in_place);
    const std::size_t count = devices.devices().size();
    run_on(devices, gemm, data, options);
    const std::vector<cl_device_id> sharing = sharers(devices);
    if (sharing.size() < 2) return;
    fail_after_kernels(sharing.front(), kernels);
    check_result(gemm, data, run_on(devices, gemm, data, options));
    heal();
    CHECK(devices.devices().size() == count - 1);
  }
}

TEST_CASE("if clgemm cannot wait for a device, the call ends with matrices_in_use") {
  if (!has_several()) return;
  const GemmCase gemm = make_gemm_case(all_forms()[0], shared_shape, {1, 1}, all_placements()[1]);
  const Data data = random_data(gemm, 12);
  Options slow;
  slow.kernel = "naive";
  for (const std::size_t kernels : {1u, 2u, 3u}) {
    DeviceSet devices = all_of(Way::in_place);
    if (sharers(devices).size() < 2) return;
    run_on(devices, gemm, data, slow);
    lose_after_kernels(sharers(devices).front(), kernels);
    Data used = data;
    CHECK_ERROR([&] { run_in(devices, gemm, used, slow); }, matrices_in_use, "may still use the matrices");
    heal();
    std::this_thread::sleep_for(
        std::chrono::milliseconds(500));  // the matrices are destroyed at the end of this scope
  }
}

TEST_CASE("a device whose pinned results do not come back is left out, and C is right or there is an Error") {
  if (!has_several()) return;
  Options options = with_little_memory();
  options.host_matrices_are_pinned = true;
  for (const float beta : {0.0f, 1.0f}) {
    const GemmCase gemm = make_gemm_case(all_forms()[3], shared_shape, {1, beta}, all_placements()[1]);
    const Data data = random_data(gemm, 13);
    for (const std::size_t kernels : {3u, 20u, 50u}) {
      INFO("beta " << beta << ", after kernel " << kernels);
      DeviceSet devices = all_of(Way::on_copies);
      const std::size_t count = devices.devices().size();
      run_on(devices, gemm, data, options);
      fail_after_kernels(sharers(devices).back(), kernels);
      check_result(gemm, data, run_on(devices, gemm, data, options));
      heal();
      CHECK(devices.devices().size() == count - 1);
    }
  }
}

TEST_CASE("a device whose results do not come back is left out, and C is right with any beta") {
  if (!has_several()) return;
  for (const float beta : {0.0f, 1.0f}) {
    const GemmCase gemm = make_gemm_case(all_forms()[3], shared_shape, {1, beta}, all_placements()[1]);
    for (const std::size_t commands : {0u, 1u, 5u}) {
      DeviceSet devices = all_of(Way::on_copies);
      const std::size_t count = devices.devices().size();
      run_on(devices, gemm, random_data(gemm, 1));
      fail_after_reads(sharers(devices).back(), commands);
      check_on(devices, gemm);
      heal();
      CHECK(devices.devices().size() == count - 1);
    }
  }
}

TEST_CASE("if all devices fail, the first cause is thrown, in this call and in later ones") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], shared_shape, {1, 0}, all_placements()[0]);
  const Data data = random_data(gemm, 9);
  DeviceSet devices("all");
  run_on(devices, gemm, data);
  fail_after_kernels(nullptr, 0);
  CHECK_ERROR([&] { run_on(devices, gemm, data); }, opencl_error, "all devices have failed");
  heal();
  CHECK_ERROR([&] { run_on(devices, gemm, data); }, opencl_error, "clEnqueueNDRangeKernel");
  CHECK(devices.devices().empty());
}

TEST_CASE("errors of a call exclude no device") {
  DeviceSet devices("all");
  const std::size_t count = devices.devices().size();
  const GemmCase gemm = make_gemm_case(all_forms()[0], {600, 600, 600}, {1, 0}, all_placements()[0]);
  const Data data = random_data(gemm, 10);
  Options options;
  options.kernel = "no_such_kernel";
  CHECK_ERROR([&] { run_on(devices, gemm, data, options); }, kernel_not_found, "no_such_kernel");
  options = {};
  options.scratch = reinterpret_cast<cl_mem>(&options);
  CHECK_ERROR([&] { run_on(devices, gemm, data, options); }, invalid_argument, "scratch");
  CHECK(devices.devices().size() == count);
}

TEST_CASE("options that no device supports exclude no device") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {600, 600, 600}, {1, 0}, all_placements()[0]);
  const Data data = random_data(gemm, 10);
  const TemporaryFolder folder;
  Options no_c;
  no_c.kernel_file =
      folder.write("no_c.cl",
                   "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: 1 1\n"
                   "// grid: columns rows\nthis is no C\n");
  Options too_large;
  too_large.kernel_file =
      folder.write("too_large.cl",
                   "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n"
                   "// local: 1048576 1\n// grid: columns rows\n");
  Options too_little;
  too_little.device_memory_limit = 1000;
  Options no_scratch;
  no_scratch.kernel = "tiled";
  no_scratch.scratch_limit = 100;
  Options wrong_argument;
  wrong_argument.kernel_file =
      folder.write("wrong_argument.cl",
                   "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: 1 1\n"
                   "// grid: columns rows\n"
                   "__kernel void gemm(int m, int n, long k, float alpha, __global float* a, ulong ao, ulong "
                   "al, ulong as,\n"
                   "  __global float* b, ulong bo, ulong bl, ulong bs, float beta, __global float* c, ulong "
                   "co, ulong cl,\n"
                   "  ulong cs) {}\n");
  for (const Way way : {Way::in_place, Way::on_copies}) {
    DeviceSet devices = all_of(way);
    const std::size_t count = devices.devices().size();
    CHECK_ERROR([&] { run_on(devices, gemm, data, no_c); }, build_failed, "no_c.cl");
    CHECK_ERROR([&] { run_on(devices, gemm, data, too_large); }, device_limit_exceeded, "1048576");
    CHECK_ERROR([&] { run_on(devices, gemm, data, no_scratch); }, out_of_memory, "the limit is 100");
    CHECK_ERROR([&] { run_on(devices, gemm, data, wrong_argument); }, invalid_kernel_file,
                "argument 3 of the kernel");
    if (way == Way::on_copies)
      CHECK_ERROR([&] { run_on(devices, gemm, data, too_little); }, out_of_memory, "1000 bytes");
    CHECK(devices.devices().size() == count);
    check_on(devices, gemm);
  }
}

TEST_CASE("a set that was moved, and calls without work") {
  DeviceSet devices("0");
  DeviceSet moved = all_of(Way::in_place);
  const std::size_t count = moved.devices().size();
  DeviceSet taken(std::move(moved));
  devices = std::move(taken);
  CHECK(devices.devices().size() == count);
  for (const Scalars& scalars : {Scalars{0, 2}, Scalars{0, 1}, Scalars{0, 0}})
    check_on(devices, make_gemm_case(all_forms()[0], {40, 50, 60}, scalars, all_placements()[1]));
  check_on(devices, make_gemm_case(all_forms()[0], {0, 50, 60}, {1, 2}, all_placements()[1]));
  CHECK(devices.explain_host({.m = 40, .n = 50, .k = 0}) ==
        "kernel: none, because there is nothing to compute\n");
}

// Zeros that take no memory until they are written. Null if the system does not provide enough addresses.
class Zeros {
 public:
  explicit Zeros(std::size_t elements)
      : bytes_(elements * sizeof(float)), elements_(static_cast<float*>(untouched_memory(bytes_))) {}
  ~Zeros() {
    if (elements_ != nullptr) release_memory(elements_, bytes_);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;

  float* get() const { return elements_; }

 private:
  std::size_t bytes_;
  float* elements_;
};

TEST_CASE("A of more than 2^31 elements on several devices, in parts") {
  if (!has_several()) return;
  const std::size_t m = 65537, n = 4, k = 32771;
  static_assert(65537ull * 32771 > std::size_t{1} << 31);
  const Zeros a(m * k);
  if (a.get() == nullptr) {
    WARN("NOT TESTED: there are no addresses for a matrix of 8 GiB");
    return;
  }
  std::vector<float> b(k * n), c(m * n, -1.0f), expected(m * n, 0.0f);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 5 % 7) - 3.0f;
  for (const std::size_t row : {std::size_t{0}, m / 4 + 1, m / 2, (std::size_t{1} << 31) / k, m - 2, m - 1}) {
    for (const std::size_t depth : {std::size_t{0}, k / 2, k - 1}) {
      const auto value = static_cast<float>(row % 5 + 1);
      a.get()[row * k + depth] = value;
      for (std::size_t column = 0; column < n; ++column)
        expected[row * n + column] += value * b[depth * n + column];
    }
  }
  Options options;
  options.device_memory_limit = std::size_t{256} << 20;
  DeviceSet devices = all_of(Way::on_copies);
  devices.sgemm(Layout::row_major, Transpose::no, Transpose::no, m, n, k, 1, a.get(), k, b.data(), n, 0,
                c.data(), n, options);
  CHECK(same_bits(c, expected));
}

TEST_CASE("the free function uses the devices of CLGEMM_DEVICES") {
  const ScopedVariable variable("CLGEMM_DEVICES", "all");
  release_contexts();
  std::vector<float> a(300 * 300, 1.0f), c(300 * 300);
  sgemm(Layout::row_major, Transpose::no, Transpose::no, 300, 300, 300, 1, a.data(), 300, a.data(), 300, 0,
        c.data(), 300);
  CHECK(c == std::vector<float>(300 * 300, 300.0f));
  const std::string text = explain_host({.m = 300, .n = 300, .k = 300});
  CHECK(text.find("devices: " + std::to_string(all_devices().size())) == 0);
  const ScopedVariable none("CLGEMM_DEVICES", "none of these");
  release_contexts();
  CHECK_ERROR([&] { explain_host({.m = 300, .n = 300, .k = 300}); }, device_not_found, "none of these");
  release_contexts();
}

TEST_CASE("explain_host() of one device, in place and on copies") {
  Context::State state(shared_device());
  const std::string by_default = shared_context().explain_host({.m = 300, .n = 200, .k = 100});
  CHECK((by_default.find("used in place") != std::string::npos) == state.host().works_in_place());
  state.host().always_copy();
  const std::string on_copies =
      state.host().explain(canonical(call_of({.m = 1030, .n = 530, .k = 1290})), with_little_memory());
  for (const char* part : {"pinned chunks", "tiles: ", "rounds: ", "device memory: ", "moved: A ",
                           "predicted: copies in ", "a tile:", "kernel: "}) {
    INFO(on_copies);
    CHECK(on_copies.find(part) != std::string::npos);
  }
}

TEST_CASE("a device that another call has lost is left out before C is divided") {
  if (!has_several()) return;
  DeviceSet devices = all_of(Way::on_copies);
  const std::size_t count = devices.devices().size();
  Member& lost = *state_of(devices).members().front();
  lose_after_kernels(lost.context.device(), 0);
  CHECK_ERROR([&] { lost.state.health().look_after(Error(ErrorCode::opencl_error, "a fault")); }, device_lost,
              "is lost");
  heal();
  const std::string explained = devices.explain_host({.m = 3000, .n = 200, .k = 100});
  INFO(explained);
  std::size_t left = 0;
  std::size_t taking_part = 0;
  REQUIRE(std::sscanf(explained.c_str(), "devices: %zu, and %zu of them are used", &left, &taking_part) == 2);
  CHECK(left == count - 1);
  CHECK(taking_part <= left);
}

TEST_CASE("the same in C") {
  clgemm_device_set* devices = nullptr;
  REQUIRE(clgemm_device_set_create("all", &devices) == CLGEMM_SUCCESS);
  std::vector<float> a(64 * 64, 1.0f), c(64 * 64);
  CHECK(clgemm_device_set_sgemm(devices, CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANSPOSE, CLGEMM_NO_TRANSPOSE, 64, 64,
                                64, 1, a.data(), 64, a.data(), 64, 0, c.data(), 64,
                                nullptr) == CLGEMM_SUCCESS);
  CHECK(c == std::vector<float>(64 * 64, 64.0f));
  std::size_t count = 0;
  std::vector<cl_device_id> list(16);
  CHECK(clgemm_device_set_devices(devices, list.size(), list.data(), &count) == CLGEMM_SUCCESS);
  CHECK(count == all_devices().size());
  clgemm_device_set* same = nullptr;
  CHECK(clgemm_device_set_create_for_devices(count, list.data(), &same) == CLGEMM_SUCCESS);
  clgemm_shape shape = CLGEMM_SHAPE_INIT;
  shape.m = shape.n = shape.k = 64;
  char text[4096];
  CHECK(clgemm_device_set_explain_host(same, &shape, nullptr, sizeof text, text, nullptr) == CLGEMM_SUCCESS);
  CHECK(std::string(text).find("devices: ") == 0);
  CHECK(clgemm_explain_host(nullptr, &shape, nullptr, sizeof text, text, nullptr) == CLGEMM_SUCCESS);
  CHECK(std::string(text).find("host matrices: ") != std::string::npos);
  clgemm_device_set_destroy(same);
  clgemm_device_set_destroy(devices);
  CHECK(clgemm_device_set_create("999", &devices) == CLGEMM_DEVICE_NOT_FOUND);
  CHECK(devices == nullptr);
  clgemm_options options = CLGEMM_OPTIONS_INIT;
  options.device_memory_limit = 64 * 1024;
  options.host_matrices_are_pinned = 1;
  CHECK(clgemm_explain_host(nullptr, &shape, &options, sizeof text, text, nullptr) == CLGEMM_SUCCESS);
}

}  // namespace
}  // namespace clgemm
