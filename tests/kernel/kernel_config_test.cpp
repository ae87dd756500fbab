// A kernel with values for its parameters, checked with made-up devices.
#include "kernel/kernel_config.hpp"

#include <optional>
#include <regex>
#include <utility>

#include "kernel/config_cache.hpp"
#include "kernel/manifest_parser.hpp"
#include "support/made_up.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::made_up_gpu;
using test::made_up_kernel;
using test::suitable_device;

const std::string source =
    "// clgemm: mine\n"
    "// summary: s\n"
    "// operands: padded\n"
    "// param: TS = 16 in 0 8 16 32 64\n"
    "// param: WIDTH = 4 in 1 4 8\n"
    "// tile: TS 2*TS 4*TS\n"
    "// local: TS/WIDTH TS\n"
    "// grid: columns rows\n"
    "// align: WIDTH\n"
    "// require: TS % WIDTH == 0\n"
    "// require: 4*2*TS*TS <= local_bytes\n";

KernelConfig configure_mine(const Parameters& overrides = {}, const Device& device = made_up_gpu()) {
  return configure(made_up_kernel(source), overrides, device);
}

TEST_CASE("defaults give tile, work-group and macros") {
  const KernelConfig config = configure_mine();
  CHECK(config.values == Parameters{{"TS", 16}, {"WIDTH", 4}});
  CHECK(config.tile_rows == 16);
  CHECK(config.tile_columns == 32);
  CHECK(config.tile_depth == 64);
  CHECK(config.local == std::vector<std::size_t>{4, 16});
  CHECK(config.align == 4);
  CHECK_FALSE(config.reads_in_place());
  CHECK(config.build_options == "-cl-std=CL1.2 -DTS=16 -DWIDTH=4");
  CHECK(describe_values(config.values) == "TS=16 WIDTH=4");
}

TEST_CASE("a variant's values replace the defaults, and the caller's values replace those") {
  NamedKernel kernel = made_up_kernel(source);
  kernel.variant_values = {{"WIDTH", 8}, {"TS", 32}};
  CHECK(configure(kernel, {}, made_up_gpu()).values == Parameters{{"TS", 32}, {"WIDTH", 8}});
  CHECK(configure(kernel, {{"TS", 8}}, made_up_gpu()).values == Parameters{{"TS", 8}, {"WIDTH", 8}});
}

TEST_CASE("macros are defined in addition to the parameters") {
  const KernelConfig config =
      with_macros(configure_mine({}, made_up_gpu()), {{"TRANSPOSE_A", 1}, {"TRANSPOSE_B", 0}});
  CHECK(config.build_options == "-cl-std=CL1.2 -DTS=16 -DWIDTH=4 -DTRANSPOSE_A=1 -DTRANSPOSE_B=0");
}

TEST_CASE("a tile may depend on which operands are transposed, if they are read in place") {
  std::string in_place = source;
  const auto replace = [&in_place](const std::string& from, const std::string& to) {
    REQUIRE(in_place.find(from) != std::string::npos);
    in_place.replace(in_place.find(from), from.size(), to);
  };
  replace("padded", "in_place");
  CHECK_FALSE(made_up_kernel(in_place).file->manifest.depends_on_operands());
  replace("tile: TS 2*TS", "tile: TS*(1+3*TRANSPOSE_A) 2*TS*(1+TRANSPOSE_B)");
  const NamedKernel kernel = made_up_kernel(in_place);
  CHECK(kernel.file->manifest.depends_on_operands());
  const KernelConfig untransposed = configure(kernel, {}, made_up_gpu());
  CHECK(untransposed.tile_rows == 16);
  CHECK(untransposed.tile_growth == 1.0);
  const KernelConfig transposed = configure(kernel, {}, made_up_gpu(), {true, false});
  CHECK(transposed.tile_rows == 64);
  CHECK(transposed.tile_columns == 32);
  CHECK(transposed.tile_growth == 4.0);
  CHECK(configure(kernel, {}, made_up_gpu(), {false, true}).tile_columns == 64);
}

// Returns a kernel on planes that reads one operand in place. The rule is in line 5.
NamedKernel kernel_that_keeps(const std::string& which) {
  return made_up_kernel(
      "// clgemm: mine\n// summary: s\n// operands: form\n// param: WHICH = 1 in 0 1 2 3\n// unpacked: " +
      which + "\n// fallback: other\n// tile: 1 1 32\n// local: 1\n// grid: tiles\n");
}

TEST_CASE("a rule tells which operand is read in place although the other one is packed") {
  const auto kept = [](const KernelConfig& config) {
    CHECK_FALSE(config.reads_in_place());
    CHECK(config.reads_a_in_place() == config.keeps_a);
    CHECK(config.reads_b_in_place() == config.keeps_b);
    return std::pair{config.keeps_a, config.keeps_b};
  };
  constexpr std::pair only_a{true, false};
  constexpr std::pair only_b{false, true};
  CHECK(kept(configure(kernel_that_keeps("WHICH"), {}, made_up_gpu())) == only_a);
  CHECK(kept(configure(kernel_that_keeps("WHICH"), {{"WHICH", 2}}, made_up_gpu())) == only_b);
  CHECK(kept(configure(kernel_that_keeps("3-WHICH"), {}, made_up_gpu())) == only_b);
  CHECK(kept(configure_mine()) == std::pair{false, false});
  for (const std::int64_t wrong : {0, 3}) {
    CHECK_ERROR(
        [&] {
          configure(kernel_that_keeps("WHICH"), {{"WHICH", wrong}}, made_up_gpu());
        },
        requirement_failed,
        "made_up.cl:5: 'WHICH' is " + std::to_string(wrong) + " with WHICH=" + std::to_string(wrong) +
            "; it must be 1 for A or 2 for B");
  }
  KernelLibrary library;
  const auto of_swap = [&](std::int64_t swap) {
    return kept(configure(library.find("fp16x3_one_packed"), {{"SWAP", swap}}, test::made_up_h200()));
  };
  CHECK(of_swap(0) == only_a);
  CHECK(of_swap(1) == only_b);
  CHECK(kept(configure(library.find("fp16x3_wgmma"), {}, test::made_up_h200())) == std::pair{false, false});
}

TEST_CASE("a kernel that reads both operands in place reads each of them in place") {
  KernelLibrary library;
  const KernelConfig both = configure(library.find("coalesced"), {}, made_up_gpu());
  CHECK(both.reads_a_in_place());
  CHECK(both.reads_b_in_place());
  CHECK_FALSE((both.keeps_a || both.keeps_b));
}

TEST_CASE("kernels know the architecture of NVIDIA's devices") {
  Device nvidia = made_up_gpu();
  nvidia.nvidia_sm = 75;
  CHECK(configure_mine({}, nvidia).build_options == "-cl-std=CL1.2 -DNVIDIA_SM=75 -DTS=16 -DWIDTH=4");
  nvidia.extensions = "cl_khr_fp64 cl_nv_compiler_options";
  CHECK(configure_mine({}, nvidia).build_options ==
        "-cl-std=CL1.2 -DNVIDIA_SM=75 -cl-nv-verbose -DTS=16 -DWIDTH=4");
}

TEST_CASE("a kernel may say how many work-groups of a launch a compute unit gets, from 0 to 64") {
  std::string tiles = source;
  const std::string grid = "// grid: columns rows\n";
  REQUIRE(tiles.find(grid) != std::string::npos);
  tiles.replace(tiles.find(grid), grid.size(),
                "// grid: tiles\n// persistent: 5 * (TS == 16) + 65 * (TS == 32)\n");
  const std::string local = "// local: TS/WIDTH TS\n";
  REQUIRE(tiles.find(local) != std::string::npos);
  tiles.replace(tiles.find(local), local.size(), "// local: TS\n");
  const NamedKernel kernel = made_up_kernel(tiles);
  CHECK(configure(kernel, {}, made_up_gpu()).persistent == 5);
  CHECK(configure(kernel, {{"TS", 8}}, made_up_gpu()).persistent == 0);
  CHECK(configure_mine({}, made_up_gpu()).persistent == 0);
  CHECK_ERROR([&] { configure(kernel, {{"TS", 32}}, made_up_gpu()); }, requirement_failed, "from 0 to 64");
}

TEST_CASE("a register limit applies to NVIDIA's devices, within the range of PTX") {
  const NamedKernel kernel =
      made_up_kernel(std::string(source) + "// registers: 168 * (TS == 16) - (TS == 32)\n");
  Device nvidia = made_up_gpu();
  nvidia.nvidia_sm = 90;
  CHECK(configure(kernel, {}, made_up_gpu()).registers == 0);
  CHECK(configure(kernel, {}, nvidia).registers == 168);
  CHECK(configure(kernel, {{"TS", 8}}, nvidia).registers == 0);
  CHECK(configure_mine({}, nvidia).registers == 0);
  CHECK_ERROR([&] { configure(kernel, {{"TS", 32}}, nvidia); }, requirement_failed, "from 0 to 255");
}

TEST_CASE("an alignment must be a power of two of at most 64") {
  const auto align = [](const char* elements) {
    std::string text = source;
    text.replace(text.find("align: WIDTH"), 12, std::string("align: ") + elements);
    return configure(made_up_kernel(text), {}, made_up_gpu()).align;
  };
  CHECK(align("1") == 1);
  CHECK(align("64") == 64);
  for (const char* elements : {"3", "128"})
    CHECK_ERROR([&] { align(elements); }, requirement_failed, "a power of two");
}

TEST_CASE("no built-in kernel is compiled with options that loosen IEEE arithmetic") {
  KernelLibrary library;
  for (const Role role : {Role::gemm, Role::pack, Role::scale}) {
    for (const std::string& name : library.names(role)) {
      const std::string options =
          configure(library.find(name), {}, suitable_device(library, name)).build_options;
      INFO(name << ": " << options);
      CHECK(options.rfind("-cl-std=CL1.2", 0) == 0);
      CHECK(options.find("-cl-", 1) == std::string::npos);
    }
  }
}

TEST_CASE("unknown parameters and values are refused by name") {
  CHECK_ERROR(
      [] {
        configure_mine({{"TSX", 8}});
      },
      invalid_parameter, "no parameter 'TSX'; it has TS, WIDTH");
  CHECK_ERROR([] { configure_mine({{"TS", 17}}); }, invalid_parameter, "made_up.cl:4: TS=17");
  CHECK_ERROR([] { configure_mine({{"WIDTH", -4}}); }, invalid_parameter, "made_up.cl:5:");
}

TEST_CASE("the error of a failed requirement has file, line, values and the device's limits") {
  const test::Thrown thrown = test::thrown_by([] {
    Device device = made_up_gpu();
    device.local_bytes = 32767;
    configure_mine({{"TS", 64}}, device);
  });
  CHECK(thrown.code == ErrorCode::requirement_failed);
  for (const char* part :
       {"made_up.cl:11:", "4*2*TS*TS <= local_bytes", "TS=64", "local_bytes is 32767", "made-up GPU"}) {
    INFO(part << " in " << thrown.text);
    CHECK(test::contains(thrown.text, part));
  }
}

TEST_CASE("local memory: the limit itself is allowed") {
  Device device = made_up_gpu();
  device.local_bytes = 4 * 2 * 32 * 32;
  CHECK(configure_mine({{"TS", 32}}, device).tile_rows == 32);
  device.local_bytes -= 1;
  CHECK_ERROR([&] { configure_mine({{"TS", 32}}, device); }, requirement_failed, "local_bytes");
}

TEST_CASE("an empty tile or work-group is refused") {
  CHECK_ERROR([] { configure_mine({{"TS", 0}}); }, requirement_failed, "made_up.cl:6:");
}

TEST_CASE("a tile that exceeds the range of block sizes is refused") {
  const auto with_tile = [](const std::string& rows) {
    const std::string text = "// clgemm: huge\n// summary: s\n// operands: in_place\n// tile: " + rows +
                             " 1 1\n// local: 1 1\n// grid: columns rows\n";
    const auto file =
        std::make_shared<KernelFile>(KernelFile{"huge.cl", text, parse_manifest(text, "huge.cl")});
    return configure({"huge", file, {}}, {}, made_up_gpu()).tile_rows;
  };
  CHECK(with_tile("1048576") == 1048576);
  CHECK_ERROR([&] { with_tile("1048577"); }, requirement_failed, "huge.cl:4: '1048577' is 1048577");
  CHECK_ERROR([&] { with_tile("2147483648"); }, requirement_failed, "may be 1048576 at most");
}

TEST_CASE("work-groups: the limit itself is allowed, one more is not") {
  Device device = made_up_gpu();
  device.max_work_group_size = 64;
  CHECK(configure_mine({}, device).local[0] == 4);
  device.max_work_group_size = 63;
  CHECK_ERROR([&] { configure_mine({}, device); }, device_limit_exceeded,
              "64 work-items; 'made-up GPU' allows 63");
}

TEST_CASE("each dimension of a work-group has its own limit") {
  Device device = made_up_gpu();
  device.max_work_item_sizes = {1024, 1, 1};
  CHECK_ERROR([&] { configure_mine({}, device); }, device_limit_exceeded, "dimension 1");
}

TEST_CASE("names of device values stand for the device's figures") {
  const std::string rules =
      "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: 1 1\n// grid: "
      "columns "
      "rows\n"
      "// require: max_work_group_size == 1024 && compute_units == 64 && native_float_width == 1 && "
      "local_bytes == 49152\n";
  CHECK(configure(made_up_kernel(rules), {}, made_up_gpu()).reads_in_place());
  Device device = made_up_gpu();
  device.compute_units = 63;
  CHECK_ERROR([&] { configure(made_up_kernel(rules), {}, device); }, requirement_failed,
              "compute_units is 63");
}

TEST_CASE("a condition can ask whether local memory is a part of global memory") {
  const NamedKernel kernel = made_up_kernel(source + "// calibrate_if: local_in_global\n");
  CHECK_FALSE(configure(kernel, {}, made_up_gpu()).is_calibrated);
  for (Device device : {made_up_gpu(), test::made_up_cpu()}) {
    device.local_in_global = true;
    CHECK(configure(kernel, {}, device).is_calibrated == (device.kind == DeviceKind::gpu));
  }
}

// `gemv` is an exception: it uses local memory only to add up the results of its work-items at the end.
TEST_CASE("a built-in kernel for any GPU with arrays in local memory declares how much it copies into them") {
  const Device device = test::made_up_gpu_256();
  KernelLibrary library;
  const std::regex array("__local \\w+ \\w+\\[");
  std::size_t with_arrays = 0;
  for (const std::string& name : library.names(Role::gemm)) {
    INFO(name);
    std::optional<KernelConfig> config;
    try {
      config = configure(library.find(name), {}, device);
    } catch (const Error&) {
      continue;  // for other devices
    }
    const bool has_arrays = std::regex_search(config->file->source, array);
    with_arrays += has_arrays;
    CHECK((config->into_local != 0) == (has_arrays && name != "gemv"));
  }
  CHECK(with_arrays >= 8);
}

TEST_CASE("a condition can ask for an extension and for an architecture by the device's name") {
  const auto fits = [](const std::string& condition, const Device& device) {
    const NamedKernel kernel = made_up_kernel(
        "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: 1\n// grid: rows\n"
        "// require: " +
        condition + "\n");
    try {
      configure(kernel, {}, device);
      return true;
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::requirement_failed);
      return false;
    }
  };
  Device device = made_up_gpu();
  device.extensions = "cl_khr_subgroups cl_khr_fp16";
  CHECK(fits("extension(cl_khr_fp16)", device));
  CHECK(fits("extension(cl_khr_subgroups) && is_cpu == 0", device));
  CHECK(fits("!extension(cl_khr_fp64)", device));
  CHECK_FALSE(fits("extension(cl_khr_fp)", device));
  CHECK_FALSE(fits("extension(cl_khr_fp16_more)", device));
  for (const char* name : {"gfx90a:sramecc+:xnack-", "gfx90a", "AMD Radeon (radeonsi, gfx90a, LLVM 15)"}) {
    device.name = name;
    CHECK(fits("arch(gfx90a)", device));
    CHECK_FALSE(fits("arch(gfx90)", device));
    CHECK(fits("arch(gfx942) || arch(gfx90a)", device));
  }
  device.name = "gfx1100";
  CHECK_FALSE(fits("arch(gfx110)", device));
  CHECK(fits("arch(gfx110*)", device));
  CHECK_FALSE(fits("arch(gfx120*)", device));
  CHECK_FALSE(fits("arch(110*)", device));

  const NamedKernel kernel = made_up_kernel(
      "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: 1\n// grid: rows\n"
      "// require: arch(gfx90a)\n");
  CHECK_ERROR(
      [&] { configure(kernel, {}, device); }, requirement_failed,
      "made_up.cl:7: the kernel 'mine' requires 'arch(gfx90a)', which does not hold with arch(gfx90a) "
      "is 0 on 'gfx1100'");
}

TEST_CASE("a condition can ask for the sub-groups of Intel's matrix units, which depend on the family") {
  Device device = made_up_gpu();
  device.vendor = "Intel(R) Corporation";
  const std::string header =
      "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: 1\n// grid: rows\n";
  for (const auto& [name, lanes] : {std::pair{"Intel(R) Arc(TM) A380 Graphics", "8"},
                                    {"Intel(R) Arc(TM) B570 Graphics", "16"},
                                    {"Intel(R) Data Center GPU Max 1100", "16"},
                                    {"Intel(R) UHD Graphics 770", "0"}}) {
    device.name = name;
    const NamedKernel kernel = made_up_kernel(header + "// require: matrix_sub_group == " + lanes + "\n");
    CHECK_NOTHROW(configure(kernel, {}, device));
  }
}

TEST_CASE(
    "a kernel is compiled with the OpenCL C version that it names, and refused if the device does not "
    "support it") {
  const auto options = [](const std::string& version, std::vector<std::string> taken) {
    Device device = made_up_gpu();
    device.opencl_c = std::move(taken);
    return configure(made_up_kernel(source + "// opencl: " + version + "\n"), {}, device).build_options;
  };
  CHECK(options("1.2", {"1.2"}).rfind("-cl-std=CL1.2 ", 0) == 0);
  CHECK(options("2.0", {"1.2", "2.0"}).rfind("-cl-std=CL2.0 ", 0) == 0);
  CHECK(options("3.0", {"1.2", "3.0"}).rfind("-cl-std=CL3.0 ", 0) == 0);
  CHECK_ERROR(
      [&] {
        options("2.0", {"1.2", "3.0"});
      },
      requirement_failed,
      "made_up.cl: the kernel 'mine' is written in OpenCL C 2.0; 'made-up GPU' takes 1.2, 3.0");
}

TEST_CASE("keys for CPUs apply to CPUs, and keys for the stores of GPUs apply to GPUs") {
  const NamedKernel kernel =
      made_up_kernel(source +
                     "// vector: WIDTH\n// keeps: 4*TS*TS\n// panel_depth: 2*TS\n"
                     "// rows_at_once: TS\n// stores: WIDTH\n// results: 2*TS\n// into_local: 3*TS\n"
                     "// calibrate_if: is_cpu\n");
  const KernelConfig on_cpu = configure(kernel, {}, test::made_up_cpu());
  CHECK(on_cpu.vector == 4);
  CHECK(on_cpu.kept_bytes == 1024);
  CHECK(on_cpu.panel_depth == 32);
  CHECK(on_cpu.rows_at_once == 16);
  CHECK(on_cpu.stores == 1);
  CHECK(on_cpu.results == 0);
  CHECK(on_cpu.into_local == 0);
  CHECK(on_cpu.is_calibrated);
  const KernelConfig on_gpu = configure(kernel, {}, made_up_gpu());
  CHECK(on_gpu.vector == 0);
  CHECK(on_gpu.kept_bytes == 0);
  CHECK(on_gpu.panel_depth == 0);
  CHECK(on_gpu.rows_at_once == 0);
  CHECK(on_gpu.stores == 4);
  CHECK(on_gpu.results == 32);
  CHECK(on_gpu.into_local == 48);
  CHECK_FALSE(on_gpu.is_calibrated);
  CHECK(configure_mine().stores == 1);
  CHECK(configure_mine().is_calibrated);
}

TEST_CASE("a share larger than the tile is an error with file and line") {
  const std::string rules =
      "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 4 8 1\n// shares: 4 9\n// local: 1 1\n"
      "// grid: columns rows\n";
  CHECK_ERROR([&] { configure(made_up_kernel(rules), {}, made_up_gpu()); }, requirement_failed,
              "made_up.cl:5: '9' is 9");
}

TEST_CASE("an overflow in a rule is an error with file and line") {
  const std::string rules =
      "// clgemm: mine\n// summary: s\n// operands: in_place\n// param: X = 9223372036854775807 in "
      "9223372036854775807\n// tile: X*2 1 1\n// local: 1 1\n// grid: columns rows\n";
  CHECK_ERROR([&] { configure(made_up_kernel(rules), {}, made_up_gpu()); }, requirement_failed,
              "made_up.cl:5: overflow");
}

TEST_CASE("every built-in kernel and its variants fit a large GPU, or a CPU if they are for CPUs") {
  KernelLibrary library;
  for (const std::string& name : library.names(Role::gemm)) {
    INFO(name);
    const Device device = suitable_device(library, name);
    CHECK_NOTHROW(configure(library.find(name), {}, device));
    for (const auto& variant : library.find(name).file->manifest.variants)
      CHECK_NOTHROW(configure(library.find(variant.name), {}, device));
  }
}

TEST_CASE("a kernel for CPUs is refused on a GPU, by its own rule") {
  KernelLibrary library;
  CHECK_ERROR([&] { configure(library.find("panels"), {}, made_up_gpu()); }, requirement_failed,
              "is_cpu is 0");
}

// Returns every combination of a kernel's values.
std::vector<Parameters> all_values(const Manifest& manifest) {
  std::vector<Parameters> result = {{}};
  for (const auto& parameter : manifest.parameters) {
    std::vector<Parameters> longer;
    for (const Parameters& values : result) {
      for (const std::int64_t value : parameter.values) {
        longer.push_back(values);
        longer.back()[parameter.name] = value;
      }
    }
    result = std::move(longer);
  }
  return result;
}

TEST_CASE("block_2d and direct have many configs that GPUs of every vendor allow") {
  KernelLibrary library;
  for (const char* kernel : {"block_2d", "direct"}) {
    const std::vector<Parameters> all = all_values(library.find(kernel).file->manifest);
    for (const Device& device : test::made_up_gpus()) {
      const auto fits = [&](const Parameters& values) {
        try {
          configure(library.find(kernel), values, device);
          return true;
        } catch (const Error&) {
          return false;
        }
      };
      const auto count = std::count_if(all.begin(), all.end(), fits);
      INFO(kernel << " on " << device.name << ": " << count << " of " << all.size());
      CHECK(count >= 10);
    }
  }
}

}  // namespace
}  // namespace clgemm
