#include "paths.hpp"

#include "device_scenarios.hpp"
#include "host_batches.hpp"
#include "host_scenarios.hpp"
#include "kernel/kernel_config.hpp"
#ifdef CLGEMM_BLAS_LIBRARY
#include "drop_in_scenarios.hpp"
#endif

namespace clgemm::test {
namespace {

using By = HostCall::By;
using ByBatch = HostBatchCall::By;
using Call = DeviceCall::Call;
using Environment = std::vector<std::pair<std::string, std::string>>;

constexpr Shape small{45, 51, 67};
// With `little` memory, four tiles of four depths and of one; more tiles with half of the memory.
constexpr Shape streamed{110, 64, 50};
constexpr Shape streamed_in_one_depth{120, 60, 32};
constexpr std::size_t little = std::size_t{120} << 10;
// Large enough that different devices share it, too, with kernels that are predicted to be slow. Each device
// gets several pieces or tiles, because a slow device gets a multiple of 256 rows, or none.
constexpr Shape shared{2566, 60, 80};
constexpr std::size_t little_of_each = std::size_t{600} << 10;

Options named(const std::string& kernel) {
  Options options;
  options.kernel = kernel;
  return options;
}

Options in_slices() {
  Options options = named("tiled");
  options.parameters = {{split_parameter, 3}};
  return options;
}

// Options that need several launches, each of which adds to C.
Options in_blocks() {
  Options options = named("tiled");
  options.scratch_limit = 20000;
  return options;
}

Options with_memory(std::size_t bytes, Options options = {}) {
  options.device_memory_limit = bytes;
  return options;
}

Options pinned(std::size_t bytes = 0, const Options& like = {}) {
  Options options = with_memory(bytes, like);
  options.host_matrices_are_pinned = true;
  return options;
}

// PoCL makes one processor into as many devices as there are words. Equal words make equal devices.
Environment devices(const std::string& words) {
  return {{"POCL_DEVICES", words}};
}

// The device on which the waiting thread does the work.
Environment basic() {
  return {{"POCL_DEVICES", "basic"}, {"CLGEMM_DEVICE", "Portable Computing Language"}};
}

Path host(const std::string& name, const HostCall& call, const Environment& environment = {}) {
  const bool is_set = call.by == By::device_set;
  return {name, {is_set ? "DeviceSet::sgemm(Layout)" : "Context::sgemm(Layout)"}, on_host(call), environment};
}

Path device(const std::string& name, const std::string& covers, const DeviceCall& call) {
  return {name, {covers}, on_device(call), {}, Promise::right_or_error_if_failures_spread};
}

#ifdef CLGEMM_BLAS_LIBRARY
Path drop_in(const std::string& name, const BlasNames& names, const MakeScenario& make,
             Environment environment = {}) {
  environment.emplace_back("CLGEMM_BLAS_CROSSING", "0");  // all calls go to the device
  return {name, names, make, environment, Promise::right};
}
#endif

std::vector<Path> make_paths() {
  std::vector<Path> all = {
      host("host", {}),
      host("host_blocks", {By::context, false, small, in_blocks()}),
      host("host_copies", {By::context, true}),
      host("streamed", {By::context, true, streamed, with_memory(little)}),
      host("pinned", {By::context, true, small, pinned()}),
      host("pinned_streamed", {By::context, true, streamed, pinned(little)}),
      host("on_basic", {}, basic()),
      host("on_basic_streamed", {By::context, true, streamed_in_one_depth, with_memory(little)}, basic()),
      host("on_basic_pinned", {By::context, true, streamed_in_one_depth, pinned(little)}, basic()),
      {"host_batch", {"Context::sgemm_strided_batched(Layout)"}, host_batch({})},
      {"host_batch_copies", {"Context::sgemm_strided_batched(Layout)"}, host_batch({ByBatch::context, true})},
      {"host_list", {"Context::sgemm_batched(Layout)"}, host_batch({ByBatch::context, false, true})},
      {"host_list_copies", {"Context::sgemm_batched(Layout)"}, host_batch({ByBatch::context, true, true})},
      {"free_host_batch",
       {"sgemm_strided_batched(Layout)"},
       host_batch({ByBatch::free_function, false, false})},
      {"free_host_list", {"sgemm_batched(Layout)"}, host_batch({ByBatch::free_function, false, true})},
      {"set2_batch",
       {"DeviceSet::sgemm_strided_batched(Layout)"},
       host_batch({ByBatch::device_set}),
       devices("pthread pthread")},
      {"set2_list",
       {"DeviceSet::sgemm_batched(Layout)"},
       host_batch({ByBatch::device_set, true, true}),
       devices("pthread pthread")},
      {"free_host", {"sgemm(Layout)", "release_contexts()"}, on_host({By::free_function})},
      {"free_set",
       {"sgemm(Layout)"},
       on_host({By::free_function, false, shared}),
       {{"POCL_DEVICES", "pthread pthread"}, {"CLGEMM_DEVICES", "all"}}},
      {"first_warm", {"Context::Context()"}, first_call(false)},
      {"first_cold", {"Context::Context()"}, first_call(true)},
      // No shipped rows are for this device, so it is probed.
      {"first_probed", {"Context::Context()"}, first_call(true), basic()},
      {"context_by_name", {"Context::Context(string)"}, made_by(Constructor::context_by_name)},
      {"context_by_device", {"Context::Context(cl_device_id)"}, made_by(Constructor::context_by_device)},
      {"context_by_queue", {"Context::Context(cl_command_queue)"}, made_by(Constructor::context_by_queue)},
      {"set_by_name", {"DeviceSet::DeviceSet(string)"}, made_by(Constructor::set_by_name)},
      {"set_by_devices", {"DeviceSet::DeviceSet(vector)"}, made_by(Constructor::set_by_devices)},
      {"ahead",
       {"Context::prepare(vector)", "Context::explain(SgemmShape)", "Context::explain_host(SgemmShape)",
        "Context::sgemm_scratch_bytes(SgemmShape)", "Context::predicted_seconds(SgemmShape)",
        "Context::predicted_seconds_host(SgemmShape)", "DeviceSet::explain_host(SgemmShape)",
        "prepare(cl_command_queue)", "explain(cl_command_queue)", "explain_host(SgemmShape)",
        "sgemm_scratch_bytes(cl_command_queue)", "predicted_seconds(cl_command_queue)",
        "predicted_seconds(SgemmShape)", "context_for(cl_command_queue)"},
       ahead()},

      device("device", "Context::sgemm(cl_command_queue)", {}),
      device("out_of_order", "Context::sgemm(cl_command_queue)", {true, named("tiled")}),
      device("own_scratch", "Context::sgemm(cl_command_queue)", {true, named("tiled"), 100000}),
      device("parts", "Context::sgemm(cl_command_queue)", {true, in_slices()}),
      device("blocks", "Context::sgemm(cl_command_queue)", {true, in_blocks()}),
      device("scale", "Context::sgemm(cl_command_queue)", {false, {}, 0, Call::scale}),
      device("strided", "Context::sgemm_strided_batched(cl_command_queue)",
             {true, named("tiled"), 0, Call::strided}),
      device("sum", "Context::sgemm_strided_batched(cl_command_queue)", {true, named("tiled"), 0, Call::sum}),
      device("list", "Context::sgemm_batched(cl_command_queue)", {true, named("tiled"), 0, Call::list}),
      device("list_own_scratch", "Context::sgemm_batched(cl_command_queue)",
             {true, named("tiled"), 100000, Call::list}),
      device("shared_memory", "Context::sgemm(cl_command_queue)", {.in_shared_memory = true}),
      device("list_in_shared_memory", "Context::sgemm_batched(cl_command_queue)",
             {.options = named("tiled"), .call = Call::list, .in_shared_memory = true}),
      device("free_device", "sgemm(cl_command_queue)", {false, {}, 0, Call::sgemm, true}),
      device("free_strided", "sgemm_strided_batched(cl_command_queue)", {false, {}, 0, Call::strided, true}),
      device("free_list", "sgemm_batched(cl_command_queue)", {false, {}, 0, Call::list, true}),
  };
  // Equal devices take turns, and others get bands. With devices of both kinds, both methods are used.
  const struct {
    const char* name;
    const char* devices;
  } sets[] = {{"set2_equal", "pthread pthread"},
              {"set2", "basic pthread"},
              {"set3", "basic pthread pthread"},
              {"set4", "basic basic pthread pthread"}};
  for (const auto& set : sets) {
    const auto add = [&](const std::string& way, bool on_copies, const Options& options) {
      all.push_back(host(set.name + way, {By::device_set, on_copies, shared, options}, devices(set.devices)));
    };
    add("", false, named("naive"));
    add("_copies", true, with_memory(little_of_each, named("naive")));
    add("_pinned", true, pinned(little_of_each, named("naive")));
  }
  HostCall mixed{By::device_set, true, shared, with_memory(little_of_each, named("naive"))};
  mixed.first_alone = true;
  all.push_back(host("set3_mixed", mixed, devices("basic pthread pthread")));
  all.push_back(
      host("set2_blocks", {By::device_set, false, shared, in_blocks()}, devices("pthread pthread")));
#ifdef CLGEMM_BLAS_LIBRARY
  const std::vector<Path> drop_ins = {
      drop_in("blas", {"sgemm_", "scipy_sgemm_"}, fortran_blas({"sgemm_", "scipy_sgemm_"}, false)),
      drop_in("blas_copies", {"sgemm_"}, fortran_blas({"sgemm_"}, true)),
      drop_in("blas_set", {"sgemm_"}, fortran_blas({"sgemm_"}, false),
              {{"POCL_DEVICES", "pthread pthread"}, {"CLGEMM_DEVICES", "all"}}),
      drop_in("blas_64", {"sgemm_64_", "scipy_sgemm_64_"},
              long_fortran_blas({"sgemm_64_", "scipy_sgemm_64_"})),
      drop_in("cblas", {"cblas_sgemm", "scipy_cblas_sgemm"},
              cblas({"cblas_sgemm", "scipy_cblas_sgemm"}, false)),
      drop_in("cblas_copies", {"cblas_sgemm"}, cblas({"cblas_sgemm"}, true)),
      drop_in("cblas_64", {"cblas_sgemm64_", "cblas_sgemm_64", "scipy_cblas_sgemm64_"},
              long_cblas({"cblas_sgemm64_", "cblas_sgemm_64", "scipy_cblas_sgemm64_"})),
      drop_in("cblas_strided", {"cblas_sgemm_batch_strided"}, strided_cblas({"cblas_sgemm_batch_strided"})),
      drop_in("cblas_strided_64", {"cblas_sgemm_batch_strided64_"},
              long_strided_cblas({"cblas_sgemm_batch_strided64_"})),
      drop_in("cblas_batch", {"cblas_sgemm_batch"}, batched_cblas({"cblas_sgemm_batch"})),
      drop_in("cblas_batch_64", {"cblas_sgemm_batch64_"}, long_batched_cblas({"cblas_sgemm_batch64_"})),
  };
  all.insert(all.end(), drop_ins.begin(), drop_ins.end());
#endif
  return all;
}

}  // namespace

const std::vector<Path>& all_paths() {
  static const std::vector<Path> all = make_paths();
  return all;
}

const std::vector<NotCovered>& not_covered() {
  static const std::vector<NotCovered> all = {
      {"Context::~Context()", "every path ends with it"},
      {"Context::Context(Context)", "it moves a pointer; the paths of constructors call it"},
      {"Context::operator=(Context)", "it moves a pointer"},
      {"Context::device()", "it hands out what is there"},
      {"Context::context()", "it hands out what is there"},
      {"Context::queue()", "it hands out what is there"},
      {"DeviceSet::~DeviceSet()", "every path with a set ends with it"},
      {"DeviceSet::DeviceSet(DeviceSet)", "it moves a pointer; the paths of constructors call it"},
      {"DeviceSet::operator=(DeviceSet)", "it moves a pointer"},
      {"DeviceSet::devices()", "it hands out what is there"},
  };
  return all;
}

}  // namespace clgemm::test
