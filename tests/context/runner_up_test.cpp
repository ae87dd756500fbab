// If a kernel cannot be built or launched, the next kernel is used, and the log says so. A kernel that the
// caller named is never replaced.
#include "choose/tuning_files.hpp"
#include "kernel/kernel_file.hpp"
#include "support/first_choice.hpp"
#include "support/on_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

// When a kernel turns out not to suit the device. If it is in the data of an unrelated device, and this
// device does not allow it, there is no message.
enum class When { planned, built };

bool goes_by_data_of_its_kind() {
  const Tuning tuning = tuning_from_environment();
  const std::vector<SpeedTable> tables = tuning.tables(shared_device_info());
  return !tables.empty() && tables.front().kin > Kinship::stranger;
}

// A kernel folder and a cache for the test alone.
struct World {
  TemporaryFolder cache;
  TemporaryFolder kernels;
  ScopedVariable cache_folder{"CLGEMM_CACHE_DIR", cache.path()};
  Context context{shared_device()()};
  Options unnamed;
  Options named;

  World(const std::string& from, const std::string& to) {
    write_first_choice(kernels, from, to);
    unnamed.kernel_folder = named.kernel_folder = kernels.path().string();
    name_first_choice(named);
  }

  // A call without a named kernel is right, and explain() names the kernel that was not used, with the
  // reason.
  void check_fallback(const std::string& why, When found = When::built) {
    CHECK(is_right_on(context, unnamed));
    const std::string explained = explain_on(context, unnamed);
    INFO(explained);
    if (found == When::built || goes_by_data_of_its_kind()) {
      CHECK(contains(explained, "not used: " + first_choice()));
      CHECK(contains(explained, why));
    }
    CHECK_FALSE(contains(explained, "kernel: " + first_choice() + " "));
    CHECK(is_right_on(context, unnamed));
  }
};

TEST_CASE("a first choice that does not compile") {
  World world("__kernel", "nonsense; __kernel");
  world.check_fallback("does not compile");
  CHECK_ERROR([&] { is_right_on(world.context, world.named); }, build_failed, "does not compile");
}

TEST_CASE("a first choice whose require fails") {
  World world("// summary: ", "// require: 1 == 2\n// summary: ");
  world.check_fallback("1 == 2", When::planned);
  CHECK_ERROR([&] { is_right_on(world.context, world.named); }, requirement_failed, "1 == 2");
}

TEST_CASE("a first choice whose work-group is too large") {
  World world("// local: ", "// local: 1048576*");
  world.check_fallback("work-items", When::planned);
  CHECK_ERROR([&] { is_right_on(world.context, world.named); }, device_limit_exceeded, "work-items");
}

TEST_CASE("a first choice whose reqd_work_group_size differs from its manifest") {
  World world("reqd_work_group_size(", "reqd_work_group_size(1 + ");
  world.check_fallback("reqd_work_group_size");
  CHECK_ERROR([&] { is_right_on(world.context, world.named); }, invalid_kernel_file, "reqd_work_group_size");
}

TEST_CASE("a first choice without the kernel function of the contract") {
  World world("void gemm(", "void other(");
  world.check_fallback("'gemm'");
  CHECK_ERROR([&] { is_right_on(world.context, world.named); }, invalid_kernel_file, "'gemm'");
}

TEST_CASE("a kernel folder that does not exist is an error of the call, and does not affect later calls") {
  World world("// summary: ", "// summary: ");
  Options nowhere;
  nowhere.kernel_folder = world.kernels.path().string() + "/nowhere";
  CHECK_ERROR([&] { is_right_on(world.context, nowhere); }, invalid_kernel_file, "is not a folder");
  CHECK(is_right_on(world.context, {}));
  CHECK_FALSE(says_failed(explain_on(world.context, {})));
}

TEST_CASE("if scratch memory is too small for any tile, a kernel that needs none is chosen") {
  World world("// summary: ", "// summary: ");
  if (KernelLibrary().find(first_choice()).file->manifest.operands == in_place_form) {
    WARN("NOT TESTED on this device: too little scratch memory, because its first choice needs none");
    return;
  }
  world.unnamed.scratch_limit = world.named.scratch_limit = 64;
  CHECK(is_right_on(world.context, world.unnamed));
  const std::string explained = explain_on(world.context, world.unnamed);
  INFO(explained);
  CHECK(contains(explained, "scratch: 0 bytes"));
  CHECK_ERROR([&] { is_right_on(world.context, world.named); }, out_of_memory, "the limit is 64");

  // The next call has enough memory, so it uses its first choice again.
  CHECK(contains(explain_on(world.context, {}), "kernel: " + first_choice() + " "));
  CHECK(is_right_on(world.context, {}));
}

}  // namespace
}  // namespace clgemm
