// Multiplies small matrices with every kernel under Oclgrind. It uses the defaults, and a few seeded configs
// with small tiles, in two forms each, or five.
//
//     watched [KERNEL]...     all kernels if none is named; CLGEMM_KERNEL_DIR is searched first
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/error.hpp"
#include "build/program_cache.hpp"
#include "kernel/config_cache.hpp"
#include "launch/enqueue_gemm.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "support/reference.hpp"
#include "tune/searching/search.hpp"

namespace clgemm::test {
namespace {

constexpr std::size_t sampled_configs = 2;
constexpr std::size_t largest_tile = 64;

struct Case {
  Form form;
  Shape shape;
  Scalars scalars;
  Placement placement;
};
// More than one small tile, and not a multiple of any, with gaps, offsets, transposes, beta. The buffers end
// with the matrices, because Oclgrind would not report a read of extra elements.
const std::vector<Case> cases = {
    {{Layout::row_major, Transpose::no, Transpose::no}, {37, 67, 35}, {2, 0}, {16, 8, 32, 0}},
    {{Layout::row_major, Transpose::yes, Transpose::yes}, {67, 35, 19}, {1, -1.5f}, {1, 3, 5, 0}}};

// For kernels that move four elements at once: those of A, of B and C, and of all.
const std::vector<Case> more_cases_of_fours = {
    {{Layout::row_major, Transpose::no, Transpose::no}, {37, 67, 36}, {1, -1.5f}, {16, 8, 32, 0}},
    {{Layout::row_major, Transpose::yes, Transpose::no}, {37, 68, 35}, {2, 0}, {16, 8, 32, 0}},
    {{Layout::row_major, Transpose::no, Transpose::yes}, {37, 68, 36}, {1, -1.5f}, {4, 0, 4, 0}}};

Operand operand_of(const Place& place) {
  Operand operand;
  operand.transposed = !place.by_rows;
  operand.ld = place.ld;
  operand.offset = place.offset;
  operand.base_alignment = 32;
  return operand;
}

Problem problem_of(const GemmCase& gemm) {
  Problem problem;
  problem.m = gemm.shape.m;
  problem.n = gemm.shape.n;
  problem.k = gemm.shape.k;
  problem.alpha = gemm.scalars.alpha;
  problem.beta = gemm.scalars.beta;
  problem.a = operand_of(gemm.a);
  problem.b = operand_of(gemm.b);
  problem.c = operand_of(gemm.c);
  return problem;
}

class Watched {
 public:
  Watched()
      : device_(default_device()),
        context_(device_),
        queue_(context_, device_),
        info_(describe(device_)),
        configs_(info_, kernel_folder_or_default({})),
        programs_(context_, device_, info_, DiskCache::from_environment()) {}

  // Returns the number of wrong results.
  int run(const std::vector<std::string>& kernels) {
    KernelLibrary library(kernel_folder_or_default({}));
    int wrong = 0;
    for (const tune::KernelSpace& space : tune::spaces_of(kernels, info_, library)) {
      for (const Config& config : configs_to_watch(space, library)) {
        for (const Case& one : cases) wrong += multiply(config, one) ? 0 : 1;
        const SharedConfig kernel = configs_.get(config.kernel, config.parameters);
        if (kernel->align == 1) continue;
        for (const Case& one : more_cases_of_fours) wrong += multiply(config, one) ? 0 : 1;
      }
      fmt::print("watched: {}\n", space.kernel);
      std::fflush(stdout);
    }
    return wrong;
  }

  // Runs the helper that scales C if there is nothing to multiply. Returns 0 if the result is right.
  int run_scale() {
    const GemmCase gemm = make_gemm_case(cases[1].form, cases[1].shape, {0, -1.5f}, all_placements()[1]);
    const Data data = random_data(gemm, 1);
    const SharedConfig scale = configs_.get("scale", {});
    const cl::Buffer c = upload(data.c);
    enqueue_scale(*scale, programs_.get(scale, Purpose::named), problem_of(gemm), c(),
                  sequence_on(queue_, {}, true), {})
        .front()
        .wait();
    fmt::print("watched: scale\n");
    return is_right(gemm, data, c, "scale") ? 0 : 1;
  }

 private:
  // Returns the default config and a few others, only those with small tiles, because a simulator is slow.
  std::vector<Config> configs_to_watch(const tune::KernelSpace& space, KernelLibrary& library) const {
    const NamedKernel kernel = library.find(space.kernel);
    tune::KernelSpace small{space.kernel, space.parameters, {}};
    for (const Config& config : space.configs) {
      const KernelConfig made = configure(kernel, config.parameters, info_);
      const bool takes_shares = made.manifest().takes_shares();
      if (takes_shares || (made.tile_rows <= largest_tile && made.tile_columns <= largest_tile))
        small.configs.push_back(config);
    }
    return tune::random_sample({small.configs.empty() ? space : small}, sampled_configs, 1);
  }

  bool multiply(const Config& config, const Case& one) {
    const GemmCase gemm = make_gemm_case(one.form, one.shape, one.scalars, one.placement);
    const Data data = random_data(gemm, 1);
    Problem problem = problem_of(gemm);
    const cl::Buffer a = upload(data.a);
    const cl::Buffer b = upload(data.b);
    const cl::Buffer c = upload(data.c);
    // A kernel that accepts lists of matrices gets those of the second case as a list.
    const bool by_list =
        &one == &cases.back() && configs_.get(config.kernel, config.parameters)->manifest().takes_lists();
    const cl::Buffer list = by_list ? list_of(problem) : cl::Buffer();
    const Buffers buffers{a(), b(), c(), list()};
    const Plan plan = make_plan(problem, config, configs_, default_scratch_limit(info_));
    const BuiltPlan built = build(plan, programs_, Purpose::named);
    Workspace workspace;
    if (plan.scratch_bytes > 0)
      workspace.scratch = cl::Buffer(context_, CL_MEM_READ_WRITE, plan.scratch_bytes);
    Progress progress;
    enqueue_gemm(built, problem, buffers, workspace, sequence_on(queue_, {}, true), {}, progress)
        .front()
        .wait();
    return is_right(gemm, data, c, clgemm::to_string(config));
  }

  // Makes a list of the problem's one GEMM, and changes the problem to use it.
  cl::Buffer list_of(Problem& problem) const {
    const Product product{problem.a.offset, problem.b.offset, problem.c.offset, problem.alpha, problem.beta};
    problem.listed = true;
    problem.alpha = problem.beta = 0.0f;  // must have no effect
    for (Operand* operand : {&problem.a, &problem.b, &problem.c}) {
      operand->stride = 1;
      operand->offset = 0;
    }
    cl::Buffer list(context_, CL_MEM_READ_ONLY, sizeof product);
    queue_.enqueueWriteBuffer(list, CL_TRUE, 0, sizeof product, &product);
    return list;
  }

  bool is_right(const GemmCase& gemm, const Data& data, const cl::Buffer& buffer, const std::string& what) {
    std::vector<float> c(data.c.size());
    queue_.enqueueReadBuffer(buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data());
    const bool right =
        error_ratio(gemm, data, c) <= error_bound(gemm) && damage_around_c(gemm, data, c).empty();
    if (!right) fmt::print("WRONG: {}: {}\n", what, describe(gemm));
    return right;
  }

  static std::string describe(const GemmCase& gemm) { return test::describe(gemm); }
  static Device describe(const cl::Device& device) { return clgemm::describe(device); }

  cl::Buffer upload(const std::vector<float>& elements) const {
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, elements.size() * sizeof(float));
    queue_.enqueueWriteBuffer(buffer, CL_TRUE, 0, elements.size() * sizeof(float), elements.data());
    return buffer;
  }

  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  Device info_;
  ConfigCache configs_;
  ProgramCache programs_;
};

}  // namespace
}  // namespace clgemm::test

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> kernels(argv + 1, argv + argc);
    clgemm::test::Watched watched;
    if (!kernels.empty()) return watched.run(kernels);
    return std::min(watched.run({"all"}) + watched.run_scale(), 1);
  } catch (const clgemm::Error& error) {
    fmt::print("{}\n", error.what());
  } catch (const cl::Error& error) {
    fmt::print("{}\n", clgemm::from_opencl(error).what());
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
  }
  return 2;
}
