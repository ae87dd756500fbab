// The first host call of a kernel on planes does not wait for the programs of its fallback, unless the device
// finds numbers that need them.
#include <filesystem>
#include <string>
#include <utility>

#include "base/platform/library.hpp"
#include "choose/tuning_json.hpp"
#include "context/chooser.hpp"
#include "context/context.hpp"
#include "kernel/kernel_source.hpp"
#include "plan/blocks.hpp"
#include "support/on_device.hpp"
#include "support/planes.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;
using Needs = Chooser::Needs;

constexpr GemmSize size = {70, 66, 41};
constexpr const char* kernel = "from_fp16_planes";

// Tuning data by which a kernel on planes comes first, and a cache for the test alone.
struct World {
  TemporaryFolder folder;
  ScopedVariable cache{"CLGEMM_CACHE_DIR", folder.path() / "cache"};
  ScopedVariable self_test{"CLGEMM_SELF_TEST", nullptr};
  ScopedVariable tuning;
  Options options;

  // In the kernel's fallback, `from` is replaced by `to`.
  explicit World(const std::string& from = "summary", const std::string& to = "summary", int mark = 0)
      : tuning("CLGEMM_TUNING", tuning_file(mark)) {
    const std::string name = std::string(kernel) + ".cl";
    folder.write("kernels/" + name,
                 replaced(kernel_text(name), "fallback: fallback_fp32", "fallback: behind"));
    const std::string text = KernelFolders().find("helpers/fallback_fp32.cl").value().text;
    folder.write("kernels/helpers/behind.cl",
                 replaced(replaced(text, "clgemm: fallback_fp32", "clgemm: behind"), from, to));
    options.kernel_folder = (folder.path() / "kernels").string();
  }

  std::filesystem::path tuning_file(int mark) const {
    TunedEntry entry;
    entry.size = size;
    entry.config = {kernel, {{"MARK", mark}}};
    entry.seconds = 1e-9;
    return folder.write("tuned.json",
                        write_tuning({"tuned.json", tuned_device(shared_device_info()), {}, {}, {entry}}));
  }
};

GemmCase gemm_case(const Scalars& scalars = {2, -1}) {
  return make_gemm_case(all_forms()[0], {size.m, size.n, size.k}, scalars, all_placements()[1]);
}

std::vector<float> host_call(Context& context, const Options& options, const GemmCase& gemm, Data data) {
  const auto& [form, shape, scalars, a, b, c] = gemm;
  context.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                data.a.data() + a.offset, a.ld, data.b.data() + b.offset, b.ld, scalars.beta,
                data.c.data() + c.offset, c.ld, options);
  return data.c;
}

void check_host_call(Context& context, const Options& options, const Special& special) {
  const GemmCase gemm = gemm_case();
  const Data data = with_special(gemm, special);
  check_result(gemm, data, host_call(context, options, gemm, data));
}

constexpr Special for_planes = {0, 0};
constexpr Special for_fallback = {0x1p40f, 0};

std::string explained(Context& context, const Options& options) {
  SgemmShape shape;
  shape.m = size.m;
  shape.n = size.n;
  shape.k = size.k;
  return context.explain_host(shape, options);
}

std::string as_chosen() {
  return std::string("kernel: ") + kernel + " ";
}

bool begins_on_this_system() {
  if (!threads_end_before_libraries()) return true;
  WARN("NOT TESTED on Windows: calls that begin with the first stage");
  return false;
}

struct OwnChooser {
  ProgramCache programs{shared_cl_context(), shared_device(), shared_device_info(),
                        DiskCache::from_environment()};
  Chooser chooser{shared_cl_context(), shared_device(), shared_device_info(), programs};
  Problem problem{size, 1, 0, {}, {}, {}};

  OwnChooser() {
    problem.a.ld = size.k;
    problem.b.ld = problem.c.ld = size.n;
  }
  auto operator()(const Options& options, Needs needs, std::size_t scratch_limit = unlimited_scratch) {
    return chooser.choose(problem, options, scratch_limit, needs);
  }
};

TEST_CASE("a plan of which the first stage is needed is completed later") {
  if (!begins_on_this_system()) return;
  const World world;
  OwnChooser choose;
  const auto begun = choose(world.options, Needs::first_stage);
  REQUIRE(begun->choice.chosen.config.kernel == kernel);
  REQUIRE(begun->whole.valid());
  CHECK(begun->built.plan.stages.size() == 1);
  CHECK(begun->built.plan.scratch_bytes == begun->whole.get()->plan.scratch_bytes);
  const auto complete = choose(world.options, Needs::first_stage);
  CHECK_FALSE(complete->whole.valid());
  CHECK(complete->built.plan.stages.size() == 2);
  CHECK(choose(world.options, Needs::all_stages) == complete);
}

TEST_CASE("a plan of which all stages are needed is complete at once, also if it was begun before") {
  const World world;
  const bool was_begun = GENERATE(false, true);
  OwnChooser choose;
  if (was_begun) choose(world.options, Needs::first_stage);
  const auto plan = choose(world.options, Needs::all_stages);
  CHECK_FALSE(plan->whole.valid());
  CHECK(plan->built.plan.stages.size() == 2);
}

TEST_CASE("a plan of several blocks is complete at once") {
  const World world;
  OwnChooser whole;
  const std::size_t scratch = whole(world.options, Needs::all_stages)->built.plan.scratch_bytes;
  OwnChooser choose;
  const auto plan = choose(world.options, Needs::first_stage, scratch - 1);
  REQUIRE(plan->choice.chosen.config.kernel == kernel);
  CHECK(plan->built.plan.block_m < size.m);
  CHECK_FALSE(plan->whole.valid());
  CHECK(plan->built.plan.stages.size() == 2);
}

TEST_CASE("if the fallback cannot be built, another kernel is chosen after that") {
  if (!begins_on_this_system()) return;
  const World world("__kernel", "nonsense; __kernel");
  OwnChooser choose;
  const auto begun = choose(world.options, Needs::first_stage);
  REQUIRE(begun->whole.valid());
  begun->whole.wait();
  const auto other = choose(world.options, Needs::first_stage);
  CHECK(other->choice.chosen.config.kernel != kernel);
  CHECK(other->built.plan.stages.size() == 1);
  CHECK_FALSE(other->whole.valid());
}

TEST_CASE("the first host call is right, whether or not it needs the fallback") {
  const World world;
  for (const Special& first : {for_planes, for_fallback}) {
    for (const Special& second : {for_planes, for_fallback}) {
      Context context(shared_device()());
      check_host_call(context, world.options, first);
      check_host_call(context, world.options, second);
      CHECK(contains(explained(context, world.options), as_chosen()));
    }
  }
}

// The mark shows which kernel computed. A marking kernel fails the self-test.
TEST_CASE(
    "the first host call uses a kernel whose fallback is not built, and only if it may ask the device") {
  if (!begins_on_this_system()) return;
  const World world("__kernel", "nonsense; __kernel", 1);
  const ScopedVariable no_test("CLGEMM_SELF_TEST", "0");
  Context context(shared_device()());
  Options options = world.options;
  const bool has_scratch = GENERATE(false, true);
  const cl::Buffer scratch(cl::Context(context.context(), true), CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS,
                           std::size_t{1} << 20U);
  if (has_scratch) options.scratch = scratch();
  const GemmCase gemm = gemm_case({1, 0});
  const std::vector<float> c = host_call(context, options, gemm, with_special(gemm, for_planes));
  CHECK(all_are(gemm, c, 42.0f) == !has_scratch);
}

TEST_CASE("if the fallback cannot be built or is wrong, host calls are right nevertheless") {
  const auto [from, to] =
      GENERATE(std::pair("__kernel", "nonsense; __kernel"), std::pair("is_done(notes, before)", "true"));
  for (const Special& special : {for_planes, for_fallback}) {
    const World world(from, to);
    Context context(shared_device()());
    check_host_call(context, world.options, special);
    check_host_call(context, world.options, special);
    const std::string text = explained(context, world.options);
    INFO(text);
    CHECK(contains(text, std::string("not used: ") + kernel));
    CHECK_FALSE(contains(text, as_chosen()));
    check_host_call(context, world.options, special);
  }
}

TEST_CASE("programs that a first call left to another thread are stored before its Context ends") {
  const World world;
  const ScopedVariable self_test("CLGEMM_SELF_TEST", GENERATE(as<const char*>(), nullptr, "0"));
  const auto count = [] { return DiskCache::from_environment().info().entries; };
  {
    Context context(shared_device()());
    check_host_call(context, world.options, for_planes);
  }
  const std::size_t stored = count();
  CHECK(stored >= 3);  // the kernel, its packing and its fallback
  {
    Context context(shared_device()());
    explained(context, world.options);
  }
  CHECK(count() == stored);
}

}  // namespace
}  // namespace clgemm
