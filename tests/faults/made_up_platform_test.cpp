// Features of other platforms, which the fault layer adds to the real one: stored program binaries, a changed
// PTX target, and devices of other kinds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <thread>

#include "base/device.hpp"
#include "build/disk_cache.hpp"
#include "build/precompiled.hpp"
#include "build/ptx.hpp"
#include "fault_layer.hpp"
#include "kernel/kernel_file.hpp"
#include "support/elf.hpp"
#include "support/first_choice.hpp"
#include "support/on_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

FaultLayer& layer() {
  return FaultLayer::of_process();
}

// Invents a fact within a scope.
struct MadeUp {
  MadeUp(bool is_of_platform, cl_uint parameter, const std::string& bytes)
      : of_platform(is_of_platform), about(parameter) {
    layer().pretend(of_platform, about, bytes);
  }
  template <class Value>
  MadeUp(cl_uint parameter, Value value)
      : MadeUp(false, parameter, std::string(reinterpret_cast<const char*>(&value), sizeof value)) {}
  ~MadeUp() { layer().pretend(of_platform, about, {}); }
  MadeUp(const MadeUp&) = delete;
  MadeUp& operator=(const MadeUp&) = delete;

  bool of_platform;
  cl_uint about;
};

std::string text(const char* words) {
  return {words, words + std::char_traits<char>::length(words) + 1};
}

// Counts calls of these functions, or lets them fail.
struct Armed {
  explicit Armed(std::vector<Fault> faults) { layer().arm(std::move(faults)); }
  ~Armed() { layer().disarm(); }
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;
};
Fault counting(const char* function) {
  return {std::numeric_limits<unsigned long>::max(), 0, CL_SUCCESS, function};
}
Fault always(const char* function, cl_int status) {
  return {1, 1, status, function};
}

TEST_CASE("on a platform that returns binaries, a program is compiled once for all processes") {
  const cl::Device device = default_device();  // CLGEMM_DEVICE may use its platform's name
  const MadeUp platform(true, CL_PLATFORM_NAME, text("made up"));
  const TemporaryFolder cache;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  const auto calls_of_new_context = [&device](std::vector<Fault> faults) {
    faults.insert(faults.begin(),
                  {counting("clCreateProgramWithBinary"), counting("clCreateProgramWithSource")});
    const Armed armed(faults);
    Context context(device());
    CHECK(is_right_on(context, {}));
    return std::pair(layer().counted(0), layer().counted(1));
  };
  using Calls = std::pair<unsigned long, unsigned long>;
  const Calls cold = calls_of_new_context({});
  CHECK(cold.first == 0);
  CHECK(cold.second != 0);
  CHECK(DiskCache::from_environment().info().entries >= cold.second);
  CHECK(calls_of_new_context({}) == Calls{cold.second, 0});

  // A program that the driver rejects is compiled.
  CHECK(calls_of_new_context({always("clCreateProgramWithBinary", CL_INVALID_BINARY)}).second == cold.second);
  CHECK(calls_of_new_context({{1, 0, CL_INVALID_BINARY, "clBuildProgram"}}).second == 1);

  // A program whose binary is not available is compiled the next time, too.
  const TemporaryFolder other;
  const ScopedVariable other_folder("CLGEMM_CACHE_DIR", other.path());
  CHECK(calls_of_new_context({always("clGetProgramInfo", CL_OUT_OF_HOST_MEMORY)}).first == 0);
  CHECK(calls_of_new_context({}) == cold);
}

TEST_CASE("a program's binary is read before its first launch, so that no later call waits for it") {
  const cl::Device device = default_device();  // CLGEMM_DEVICE may use its platform's name
  const MadeUp platform(true, CL_PLATFORM_NAME, text("made up"));
  const TemporaryFolder cache;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  const auto stored = [] { return DiskCache::from_environment().info().entries; };
  Context context(device());
  const cl::Context opencl(context.context(), true);
  const cl::CommandQueue queue(context.queue(), true);
  const cl::Buffer matrix(opencl, CL_MEM_READ_WRITE, 64), result(opencl, CL_MEM_READ_WRITE, 64);
  cl::UserEvent go(opencl);
  Options options;
  options.kernel = "coalesced";
  const auto call = [&] {
    context.sgemm(queue(), Layout::row_major, Transpose::no, Transpose::no, 4, 4, 4, 1.0f, {matrix(), 4, 0},
                  {matrix(), 4, 0}, 0.0f, {result(), 4, 0}, {go()}, nullptr, options);
  };
  const Armed armed({counting("clGetProgramInfo")});
  call();
  const unsigned long asked = layer().counted(0);
  CHECK(asked != 0);
  // It is stored on disk while the launch waits.
  for (int i = 0; i < 500 && stored() == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(stored() == 1);
  call();
  go.setStatus(CL_COMPLETE);
  queue.finish();
  CHECK(layer().counted(0) == asked);
}

// A kernel that needs its own PTX target, and the output of a compiler for it.
struct PtxKernel {
  TemporaryFolder folder;
  Options options;

  PtxKernel() {
    std::string source = KernelFolders().find("naive.cl").value().text;
    source.insert(source.find('\n') + 1, "// ptx: sm_90a\n");
    options.kernel_file = folder.write("own.cl", source);
  }

  static std::string ptx(const char* target, const std::string& marked) {
    return std::string("// made up\n.version 8.0\n.target ") + target + ", debug\n" + marked + "ret;\n";
  }
};

TEST_CASE("a kernel with a PTX target is built from the changed PTX") {
  const PtxKernel kernel;
  Context context;
  layer().pretend_binary(PtxKernel::ptx("sm_90", "  " + std::string(ptx_marker)));
  CHECK(is_right_on(context, kernel.options));
  CHECK(layer().given_binary() == "// made up\n.version 8.0\n.target sm_90a, debug\nret;\n");
  layer().pretend_binary({});
}

TEST_CASE("if the target of a kernel's PTX cannot be changed, the Error says why") {
  const PtxKernel kernel;
  const auto run = [&kernel] {
    Context context;
    is_right_on(context, kernel.options);
  };
  // The output of this device's compiler is a binary, or NVIDIA's PTX without marks.
  CHECK_ERROR(run, build_failed, "cannot be taken to sm_90a: it has ");
  layer().pretend_binary(PtxKernel::ptx("sm_80", std::string(ptx_marker)));
  CHECK_ERROR(run, build_failed, "its target is 'sm_80'");
  layer().pretend_binary(PtxKernel::ptx("sm_90", std::string(ptx_marker)));
  {
    const Armed armed({always("clCreateProgramWithBinary", CL_INVALID_BINARY)});
    CHECK_ERROR(run, build_failed, "CL_INVALID_BINARY");
  }
  {
    const Armed armed({{2, 0, CL_BUILD_PROGRAM_FAILURE, "clBuildProgram"}});
    CHECK_ERROR(run, build_failed, "cannot be taken to sm_90a");
  }
  layer().pretend_binary({});
}

// For tests that turn another device into an NVIDIA device.
bool is_nvidia() {
  if (describe(shared_device()).nvidia_sm == 0) return false;
  WARN("NOT TESTED on NVIDIA's devices, which have an architecture and PTX of their own");
  return true;
}

TEST_CASE("a register limit is written into the PTX of NVIDIA's devices, and ignored if there is no PTX") {
  if (is_nvidia()) return;
  std::string source = KernelFolders().find("naive.cl").value().text;
  source.insert(source.find('\n') + 1, "// registers: 100\n");
  const TemporaryFolder folder;
  Options options;
  options.kernel_file = folder.write("own.cl", source);
  const ScopedVariable no_cache("CLGEMM_CACHE", "0");  // an earlier run may have left the program there
  const MadeUp name(false, CL_DEVICE_NAME, text("a device"));
  const ScopedVariable default_device("CLGEMM_DEVICE", nullptr);
  const MadeUp extensions(false, CL_DEVICE_EXTENSIONS, text("cl_khr_fp64 cl_nv_device_attribute_query"));
  const MadeUp major(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, cl_uint{9});
  const MadeUp minor(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, cl_uint{0});
  const auto is_right = [&options] {
    Context context;
    return is_right_on(context, options);
  };
  CHECK(is_right());  // the device's own binary is not PTX
  const std::string head = "// made up\n.target sm_90\n.entry gemm(\n)\n";
  const std::string rest = ".reqntid 16, 16, 1\n{\n}\n";
  layer().pretend_binary(head + rest);
  CHECK(is_right());
  CHECK(layer().given_binary() == head + ".maxnreg 100\n" + rest);
  {
    const Armed armed({always("clCreateProgramWithBinary", CL_INVALID_BINARY)});
    CHECK_ERROR(is_right, build_failed, "cannot be limited to 100 registers");
  }
  layer().pretend_binary({});
}

TEST_CASE("a precompiled program is used on an H200, and compiled if the driver does not accept it") {
  if (is_nvidia()) return;
  const std::span<const EmbeddedFile> files = precompiled_programs();
  if (std::none_of(files.begin(), files.end(),
                   [](const EmbeddedFile& file) { return file.path.starts_with("coalesced-"); })) {
    WARN("NOT TESTED: clgemm was built without precompiled programs of coalesced");
    return;
  }
  const TemporaryFolder cache;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  const ScopedVariable default_device("CLGEMM_DEVICE", nullptr);
  const MadeUp name(false, CL_DEVICE_NAME, text("a device"));
  const MadeUp platform(true, CL_PLATFORM_NAME, text("NVIDIA CUDA"));
  const MadeUp extensions(false, CL_DEVICE_EXTENSIONS, text("cl_khr_fp64 cl_nv_device_attribute_query"));
  const MadeUp major(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, cl_uint{9});
  const MadeUp minor(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, cl_uint{0});
  Options options;
  options.kernel = "coalesced";
  // Returns how many programs were made from a binary, and from source.
  const auto made = [&options](const Fault& fault = {}) {
    const Armed armed({counting("clCreateProgramWithBinary"), counting("clCreateProgramWithSource"), fault});
    Context context;
    CHECK(is_right_on(context, options));
    return std::pair(layer().counted(0), layer().counted(1));
  };
  using Made = std::pair<unsigned long, unsigned long>;
  const auto forget = [&cache] {
    for (const auto& entry : std::filesystem::directory_iterator(cache.path()))
      std::filesystem::remove(entry.path());
  };
  layer().pretend_binary("a text that the cache keeps");
  // This device does not know the program. The layer then knows the binary that it stands for.
  CHECK(made() == Made{1, 1});
  CHECK(layer().given_binary().starts_with(elf_mark));
  forget();
  CHECK(made() == Made{1, 0});
  forget();
  // A program without the kernel is compiled, too.
  CHECK(made({.first = 1, .status = CL_INVALID_KERNEL_NAME, .function = "clCreateKernel"}) == Made{1, 1});
  layer().pretend_binary({});
}

TEST_CASE("if a kernel file lacks the contract's function, the error lists the functions that it has") {
  const TemporaryFolder folder;
  const std::string head =
      "// clgemm: own\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: 1 1\n// grid: columns "
      "rows\n";
  Options options;
  options.kernel_file =
      folder.write("own.cl", head + "__kernel void gem(int m) {}\n__kernel void more(int m) {}\n");
  Context context;
  CHECK_ERROR([&] { is_right_on(context, options); }, invalid_kernel_file, "it has 'gem', 'more'");
  const Armed armed({always("clGetProgramInfo", CL_OUT_OF_HOST_MEMORY)});
  CHECK_ERROR([&] { is_right_on(context, options); }, invalid_kernel_file,
              "whose names this device does not report");
}

TEST_CASE("too much local memory is refused, except if the device has more than it reports") {
  Options options;
  options.kernel = "tiled";
  Context context;
  const MadeUp less(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong{1});
  {
    const MadeUp platform(true, CL_PLATFORM_NAME, text("a platform"));
    CHECK_ERROR([&] { is_right_on(context, options); }, device_limit_exceeded, "bytes of local memory");
  }
  const MadeUp platform(true, CL_PLATFORM_NAME, text("NVIDIA CUDA"));
  CHECK(is_right_on(context, options));
}

TEST_CASE("devices of other types") {
  if (is_nvidia()) return;
  const cl::Device device = shared_device();
  const ScopedVariable default_device("CLGEMM_DEVICE", nullptr);  // because its name has changed
  const MadeUp name(false, CL_DEVICE_NAME, text("a device"));     // the kind of llvmpipe depends on its name
  const auto described = [&] { return describe(device); };
  CHECK(described().nvidia_sm == 0);
  {
    const MadeUp gpu(CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT});
    CHECK(described().kind == DeviceKind::gpu);
    CHECK(find_device("")() == all_devices().front()());
  }
  {
    const MadeUp other(CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_ACCELERATOR});
    CHECK(described().kind == DeviceKind::other);
    CHECK(find_device("")() == all_devices().front()());
  }
  {
    const MadeUp own(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type{CL_LOCAL});
    CHECK_FALSE(described().local_in_global);
  }
  {
    const MadeUp part(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type{CL_GLOBAL});
    CHECK(described().local_in_global);
    const MadeUp platform(true, CL_PLATFORM_NAME, text("rusticl"));
    CHECK_FALSE(described().local_in_global);
  }
  const MadeUp extensions(false, CL_DEVICE_EXTENSIONS, text("cl_khr_fp64 cl_nv_device_attribute_query"));
  const MadeUp major(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, cl_uint{9});
  const MadeUp minor(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, cl_uint{1});
  CHECK(described().nvidia_sm == 91);
}

TEST_CASE("on a GPU whose local memory is part of global memory, kernels do not use it") {
  const TemporaryFolder folder;
  const ScopedVariable cache("CLGEMM_CACHE_DIR", folder.path());
  const ScopedVariable shipped("CLGEMM_TUNING", "0");  // the H200's data
  const ScopedVariable no_probe("CLGEMM_PROBE", "0");
  const ScopedVariable named("CLGEMM_DEVICE", "made-up GPU");
  const MadeUp gpu(CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_GPU});
  const MadeUp name(false, CL_DEVICE_NAME, text("made-up GPU"));
  const MadeUp vendor(false, CL_DEVICE_VENDOR, text("nobody"));
  const MadeUp units(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{10});
  const MadeUp clock(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint{1000});
  const auto explained = [](cl_device_local_mem_type type) {
    const MadeUp local(CL_DEVICE_LOCAL_MEM_TYPE, type);
    Context context;
    CHECK(is_right_on(context, {}));
    return explain_on(context, {});
  };
  CHECK_FALSE(contains(explained(CL_LOCAL), "cached"));  // it is not a candidate either
  CHECK(contains(explained(CL_GLOBAL), "kernel: cached "));
}

// 6958 x 4161 x 36, for which a search on a GPU found another config than the model chooses.
TEST_CASE("the measured config of a GPU is chosen on it") {
  // Its name has changed.
  const ScopedVariable by_platform("CLGEMM_DEVICE", shared_device_info().platform_name.c_str());
  const MadeUp gpu(CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_GPU});
  const MadeUp name(false, CL_DEVICE_NAME, text("made-up GPU"));
  const Device device = describe(shared_device());
  // The file has clgemm-tune's format. Its time is much longer than the predictions for other configs.
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "tuned.json",
      fmt::format(R"({{"clgemm_tuning": 2, "device": {{"name": "{}", "vendor": "{}", "platform": "{}",
        "driver": "1", "type": "gpu", "vector_width": 1, "compute_units": 4, "clock_mhz": 0}}, "measured": [
        {{"m": 6958, "n": 4161, "k": 36, "transposes": "nn", "kernel": "wpt", "parameters":
        {{"SPLIT_K": 1, "TS": 16, "WPT": 4}}, "median_ms": 1000, "gflops": 2.08}}]}})",
                  device.name, device.vendor, device.platform_name));
  const auto explained = [](std::size_t k) {
    Context context;
    SgemmShape shape;
    shape.m = 6958;
    shape.n = 4161;
    shape.k = k;
    return context.explain(shape);
  };
  const ScopedVariable no_tuning("CLGEMM_TUNING", "0");
  CHECK(contains(explained(36), "chosen: from the speed model"));
  const ScopedVariable tuning("CLGEMM_TUNING", path.c_str());
  CHECK(contains(explained(36), "kernel: wpt "));
  CHECK(contains(explained(36), "chosen: measured: " + path + ", 6958 x 4161 x 36"));
  CHECK(contains(explained(37), "chosen: from the speed model"));
}

// A CPU without rows, with an empty cache. Only the probe fills a buffer.
struct UnmeasuredCpu {
  ScopedVariable device{"CLGEMM_DEVICE", "made-up CPU"};
  TemporaryFolder folder;
  ScopedVariable cache{"CLGEMM_CACHE_DIR", folder.path()};
  ScopedVariable tuning{"CLGEMM_TUNING", nullptr};
  ScopedVariable no_settings{"XDG_CONFIG_HOME", folder.path()};
  MadeUp name{false, CL_DEVICE_NAME, text("made-up CPU")};
  MadeUp type{CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_CPU}};

  explicit UnmeasuredCpu(const std::string& more_of_device = R"(, "probed_gflops": 100, "probed_gb_s": 20)") {
    const Device described = describe(shared_device());
    path = folder.write(
        "rows.json",
        fmt::format(
            R"({{"clgemm_tuning": 2, "device": {{"name": "a relative", "vendor": "{}", "platform": "{}",
        "driver": "1", "type": "cpu", "vector_width": {}, "compute_units": 1, "clock_mhz": 0{}}}, "rates":
        {{"call_us": 1, "launch_us": 1, "start_us": 1, "gb_s": 100, "packing_gb_s": 100, "adding_gb_s": 100}},
        "configs": [{{"kernel": "tiled", "parameters": {{"TS": 16}}, "alone_ns": 10, "share_ns": 10,
        "begin_us": 1, "residents": 1, "unaligned": 1, "residual": 0.1, "shapes": 9}}], "measured": []}})",
            described.vendor, described.platform_name, described.native_float_width, more_of_device));
    setenv("CLGEMM_TUNING", path.c_str(), 1);
  }

  // The text of explain() in a new Context, and the number of probes for it.
  struct Said {
    std::string text;
    unsigned long probes;
  };
  static Said explained(std::vector<Fault> faults = {}) {
    faults.push_back(counting("clEnqueueFillBuffer"));
    const std::size_t last = faults.size() - 1;
    const Armed armed(std::move(faults));
    Context context;
    SgemmShape shape;
    shape.m = shape.n = shape.k = 100;
    std::string said = context.explain(shape);
    CHECK(is_right_on(context, {}));
    return {std::move(said), layer().counted(last)};
  }

  std::string path;
};

constexpr const char* scaled = "the data of another device, scaled by a probe of this one: ";
constexpr const char* unmeasured = "nothing was measured on this device: run clgemm-tune --quick\n";

TEST_CASE("a device without rows is probed once, before the first choice, unless CLGEMM_PROBE=0") {
  const UnmeasuredCpu cpu;
  {
    const ScopedVariable off("CLGEMM_PROBE", "0");
    const auto [said, probes] = cpu.explained();
    CHECK(probes == 0);
    CHECK_FALSE(contains(said, scaled));
    CHECK(contains(said, unmeasured));
  }
  const auto [said, probes] = cpu.explained();
  INFO(said);
  CHECK(probes == 1);  // a Context makes one probe for any number of choices
  CHECK(contains(said, unmeasured));
  // A reliable result is used and stored. On a busy machine, this may take some more processes.
  unsigned long again = 1;
  for (int i = 0; i < 100 && again != 0; ++i) again = cpu.explained().probes;
  CHECK(again == 0);
  CHECK(contains(cpu.explained().text, scaled));
  {
    const ScopedVariable no_cache("CLGEMM_CACHE", "0");
    CHECK(cpu.explained().probes == 1);
  }
  {
    const MadeUp other_driver(false, CL_DRIVER_VERSION, text("another driver"));
    CHECK(cpu.explained().probes == 1);
  }
}

TEST_CASE("the link of a device with its own memory is probed, too, and kept with the rest") {
  const UnmeasuredCpu cpu;
  const MadeUp own_memory(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool{CL_FALSE});
  unsigned long again = 1;
  for (int i = 0; i < 100 && again != 0; ++i) again = cpu.explained().probes;
  CHECK(again == 0);
  const std::string said = cpu.explained().text;
  INFO(said);
  CHECK(contains(said, ", link "));
  CHECK(contains(said, " GB/s to the device and "));
}

TEST_CASE("no device is probed if the probe would not change its rows") {
  CHECK(UnmeasuredCpu("").explained().probes == 0);  // the result of a probe there is unknown
  const UnmeasuredCpu cpu;
  const MadeUp own_name(false, CL_DEVICE_NAME, text("a relative"));
  const ScopedVariable named("CLGEMM_DEVICE", "a relative");
  const auto [said, probes] = cpu.explained();
  CHECK(probes == 0);
  CHECK_FALSE(contains(said, unmeasured));
}

TEST_CASE("a failed probe is ignored, and never makes a call fail") {
  const UnmeasuredCpu cpu;
  for (const Fault& fault :
       {always("clEnqueueFillBuffer", CL_OUT_OF_RESOURCES),
        always("clEnqueueFillBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE),
        Fault{1, 0, CL_BUILD_PROGRAM_FAILURE, "clBuildProgram"},
        Fault{1, 0, CL_OUT_OF_HOST_MEMORY, "clCreateBuffer"},
        Fault{1, 0, CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel"},
        Fault{2, 0, CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel", nullptr, Failing::by_event}}) {
    const auto [said, probes] = cpu.explained({fault});
    INFO(fault.function << ": " << said);
    CHECK_FALSE(contains(said, scaled));
    CHECK(contains(said, unmeasured));
  }
  CHECK(cpu.explained().probes == 1);  // it was not stored
}

TEST_CASE("a probe far below the rate of the device's family is not used, because the device was busy") {
  const UnmeasuredCpu cpu;
  const MadeUp vendor(false, CL_DEVICE_VENDOR, text("Advanced Micro Devices, Inc."));
  const MadeUp name(false, CL_DEVICE_NAME, text("gfx1100"));
  const MadeUp gpu(CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_GPU});
  const MadeUp units(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{48});
  const MadeUp clock(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint{2371});
  const ScopedVariable named("CLGEMM_DEVICE", "gfx1100");
  const ScopedVariable shipped("CLGEMM_TUNING", "0");  // the H200's data
  for (int i = 0; i < 2; ++i) {
    const auto [said, probes] = cpu.explained();
    INFO(said);
    CHECK(probes == 1);
    CHECK_FALSE(contains(said, scaled));
  }
}

// A GPU with the rows of two related devices: `wpt`, and `tiled`, which takes so many times as long.
struct GpuOfRelatives {
  ScopedVariable device{"CLGEMM_DEVICE", "made-up GPU"};
  TemporaryFolder folder;
  ScopedVariable cache{"CLGEMM_CACHE_DIR", folder.path()};
  MadeUp gpu{CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_GPU}};
  MadeUp name{false, CL_DEVICE_NAME, text("made-up GPU")};
  MadeUp platform{true, CL_PLATFORM_NAME, text("AMD Accelerated Parallel Processing")};
  std::string path;
  ScopedVariable tuning;

  explicit GpuOfRelatives(int slower) : path(written(slower)), tuning("CLGEMM_TUNING", path.c_str()) {
    layer().pretend_spills("of none", 0, {});
  }
  ~GpuOfRelatives() { layer().pretend_spills({}, 0, {}); }

  std::string written(int slower) const {
    const Device described = describe(shared_device());
    const char* const rest = R"("begin_us": 1, "residents": 4, "unaligned": 1, "residual": 0.1, "shapes": 9)";
    return folder.write(
        "rows.json",
        fmt::format(
            R"({{"clgemm_tuning": 2, "device": {{"name": "a relative", "vendor": "{}", "platform": "{}",
        "driver": "1", "type": "gpu", "vector_width": {}, "compute_units": 4, "clock_mhz": 0}}, "rates":
        {{"call_us": 1, "launch_us": 1, "start_us": 1, "gb_s": 100, "packing_gb_s": 100, "adding_gb_s": 100,
        "unhidden": 0.4, "repeated": 0.6, "pass_us": 1, "uneven": 0.2}}, "configs": [
        {{"kernel": "wpt", "parameters": {{"TS": 16, "WPT": 4}}, "alone_ns": 10, "share_ns": 10, {}}},
        {{"kernel": "tiled", "parameters": {{"TS": 16}}, "alone_ns": {}, "share_ns": {}, {}}}],
        "measured": []}})",
            described.vendor, described.platform_name, described.native_float_width, rest, 10 * slower,
            10 * slower, rest));
  }

  static std::string explained(const Options& options = {}) {
    Context context;
    SgemmShape shape;
    shape.m = shape.n = shape.k = 1000;
    return context.explain(shape, options);
  }
};

TEST_CASE("a config that spills is replaced by faster ones that do not") {
  if (is_nvidia()) return;
  const GpuOfRelatives gpu(2);
  CHECK(contains(gpu.explained(), "kernel: wpt "));
  layer().pretend_spills("-DWPT=4", 640, {});
  // The cache's verdict on a program is trusted.
  CHECK(contains(gpu.explained(), "kernel: wpt "));
  const TemporaryFolder other;
  const ScopedVariable other_cache("CLGEMM_CACHE_DIR", other.path());
  const std::string explained = gpu.explained();
  CHECK(contains(explained, "kernel: tiled "));
  CHECK(contains(explained, "not used: wpt "));
  CHECK(contains(explained, "not enough registers: as compiled for this device, 640 bytes do not fit"));
  Options named;
  named.kernel = "wpt";
  named.parameters = {{"TS", 16}, {"WPT", 4}};
  CHECK_FALSE(contains(gpu.explained(named), "not enough registers"));
}

TEST_CASE("a config that spills is chosen if nothing else is nearly as fast") {
  if (is_nvidia()) return;
  const GpuOfRelatives gpu(5);
  layer().pretend_spills("-DWPT=4", 640, {});
  const std::string explained = gpu.explained();
  CHECK(contains(explained, "kernel: wpt "));
  CHECK(contains(explained, "spills: 640 bytes do not fit in the registers"));
  CHECK_FALSE(contains(explained, "not used: wpt "));
}

TEST_CASE("a few spilled registers do not change the choice") {
  if (is_nvidia()) return;
  const GpuOfRelatives gpu(2);
  layer().pretend_spills("-DWPT=4", 16, {});
  CHECK(contains(gpu.explained(), "kernel: wpt "));
}

TEST_CASE("if all configs spill, the first one is chosen") {
  if (is_nvidia()) return;
  const GpuOfRelatives gpu(2);
  layer().pretend_spills("-cl-std", 640, {});
  CHECK(contains(gpu.explained(), "kernel: wpt "));
}

TEST_CASE("the number of spilled bytes is kept with the program") {
  if (is_nvidia()) return;
  const GpuOfRelatives gpu(2);
  layer().pretend_spills("-DWPT=4", 640, {});
  CHECK(contains(gpu.explained(), "kernel: tiled "));
  layer().pretend_spills("of none", 0, {});
  const Armed armed({counting("clCreateProgramWithSource")});
  CHECK(contains(gpu.explained(), "kernel: tiled "));
  CHECK(layer().counted(0) == 0);
}

TEST_CASE("spills are read from the log of NVIDIA's assembler") {
  if (is_nvidia()) return;
  const GpuOfRelatives gpu(2);
  const MadeUp extensions(false, CL_DEVICE_EXTENSIONS, text("cl_khr_fp64 cl_nv_compiler_options"));
  layer().pretend_spills("-DWPT=4", 0,
                         "ptxas info    : Function properties for gemm\n    264 bytes stack frame, 300 bytes "
                         "spill stores, 312 bytes spill loads\n");
  CHECK(contains(gpu.explained(), "300 bytes do not fit in the registers"));
  layer().pretend_spills(
      "-DWPT=4", 0,
      "ptxas info    : Function properties for gemm\n    0 bytes stack frame, 0 bytes spill "
      "stores, 0 bytes spill loads\n");
  const ScopedVariable no_cache("CLGEMM_CACHE", "0");
  CHECK(contains(gpu.explained(), "kernel: wpt "));
}

TEST_CASE("a platform without devices is skipped, and PoCL's reason is reported") {
  const Armed armed({always("clGetDeviceIDs", CL_DEVICE_NOT_FOUND)});
  CHECK(all_devices().empty());
  const ScopedVariable cache("POCL_CACHE_DIR", "/no/such/folder");
  CHECK_ERROR([] { find_device("0"); }, device_not_found, "POCL_CACHE_DIR is '/no/such/folder'");
  const ScopedVariable no_cache("POCL_CACHE_DIR", nullptr);
  const ScopedVariable no_other("XDG_CACHE_HOME", nullptr);
  const ScopedVariable no_home("HOME", nullptr);
  const Thrown thrown = thrown_by([] { find_device("0"); });
  CHECK(thrown.code == ErrorCode::device_not_found);
  CHECK_FALSE(contains(thrown.text, "PoCL offers no device"));
}

}  // namespace
}  // namespace clgemm
