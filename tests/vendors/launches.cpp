// launches FOLDER [--few]: writes the launches of every kernel that clgemm may choose on AMD's GPUs, for an
// emulator (emulate.py). It also writes those for Mali as code of an AMD GPU, because Mali's compilers are
// not installed, and those of the kernels that only NVIDIA Hopper runs (work_items.py). The configs are those
// that are chosen for the shapes of data_sheets.hpp, and the best config of each other kernel. The problems
// are small and have edges.
//
// FOLDER gets the sources, one in each file, and launches.json. That file has the programs, and for each GEMM
// its matrices and its launches, with the arguments that the library sets. Only src/launch knows the
// arguments. So this program defines the functions of OpenCL that src/launch calls, and they record their
// arguments. --few writes one GEMM for each kernel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "base/sizes.hpp"
#include "choose/ranking.hpp"
#include "kernel/contract.hpp"
#include "kernel/kernel_source.hpp"
#include "launch/enqueue_gemm.hpp"
#include "plan/make_plan.hpp"
#include "support/data_sheets.hpp"
#include "support/made_up.hpp"
#include "support/shipped.hpp"

namespace clgemm {
namespace {

using namespace test;

// Handles of kernels and buffers. They are indices of this table, disguised as OpenCL's types.
enum Handle : std::size_t {
  buffer_a,
  buffer_b,
  buffer_c,
  buffer_list,
  buffer_scratch,
  buffer_arrivals,
  first_kernel
};
constexpr std::array buffer_names = {"a", "b", "c", "list", "scratch", "arrivals"};
std::array<char, 64> handles;

template <class Object>
Object handle(std::size_t number) {
  return reinterpret_cast<Object>(&handles.at(number));
}

template <class Object>
std::size_t number_of(Object object) {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(object) - handles.data());
}

// Records what was set and enqueued, as JSON.
struct Recorder {
  std::map<std::size_t, std::vector<std::string>> arguments;  // those of each kernel, as set last
  std::vector<std::string> launches;
  std::map<std::size_t, std::size_t> programs;  // each kernel's number in the list
};
Recorder recorder;

std::string in_hex(const void* value, std::size_t bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes; ++i)
    result += fmt::format("{:02x}", static_cast<const unsigned char*>(value)[i]);
  return result;
}

// Returns the name of a buffer, or the bytes of another argument.
std::string describe_argument(const void* value, std::size_t bytes) {
  if (bytes == sizeof(cl_mem)) {
    cl_mem object = nullptr;
    std::memcpy(&object, value, bytes);
    for (std::size_t i = 0; i < buffer_names.size(); ++i) {
      if (object == handle<cl_mem>(i)) return buffer_names[i];
    }
  }
  return "0x" + in_hex(value, bytes);
}

// Returns how a kernel takes its numbers. There is no compiled kernel that knows.
Passing passing_of_source(const KernelConfig& config) {
  const std::string source = without_comments(config.file->source);
  return source.find("const Numbers numbers)") == std::string::npos ? Passing::one_by_one
                                                                    : Passing::as_struct;
}

// The programs of all plans, without duplicates.
class Programs {
 public:
  explicit Programs(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::size_t add(const char* target, const KernelConfig& config) {
    const auto [found, is_new] =
        numbers_.try_emplace({target, config.build_options, config.file->source}, numbers_.size());
    if (!is_new) return found->second;
    const std::string file = fmt::format("{}.cl", found->second);
    std::ofstream(folder_ / file) << config.file->source;
    lines_.push_back(fmt::format(R"({{"target": "{}", "file": "{}", "function": "{}", "options": "{}"}})",
                                 target, file, contract_of(config.manifest().role).function,
                                 config.build_options));
    return found->second;
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::filesystem::path folder_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> numbers_;
  std::vector<std::string> lines_;
};

// Kernels that are only handles.
class RecordedKernels {
 public:
  RecordedKernels(const char* target, Programs& programs) : target_(target), programs_(programs) {
    recorder = {};
  }

  std::shared_ptr<BuiltKernel> add(const KernelConfig& config) {
    const std::size_t kernel = next_++;
    recorder.programs[kernel] = programs_.add(target_, config);
    return std::make_shared<BuiltKernel>(cl::Program{}, "", cl::Kernel(handle<cl_kernel>(kernel)),
                                         passing_of_source(config), "", "", std::vector<unsigned char>{});
  }

 private:
  const char* target_;
  Programs& programs_;
  std::size_t next_ = first_kernel;
};

const cl::CommandQueue no_queue;
const Sequence in_order{no_queue, false, false};

// Returns the launches of the plan.
std::vector<std::string> record(const char* target, const Plan& plan, const Problem& problem,
                                Programs& programs) {
  RecordedKernels kernels(target, programs);
  BuiltPlan built{plan, std::vector<ByRole<std::shared_ptr<BuiltKernel>>>(plan.stages.size())};
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) {
    built.stages[stage][role] = kernels.add(*plan.stages[stage].programs[role]);
  });
  Buffers buffers{handle<cl_mem>(buffer_a), handle<cl_mem>(buffer_b), handle<cl_mem>(buffer_c)};
  if (problem.listed) buffers.list = handle<cl_mem>(buffer_list);
  Workspace workspace;
  if (plan.scratch_bytes != 0) workspace.scratch = cl::Buffer(handle<cl_mem>(buffer_scratch));
  if (plan.arrivals() != 0) workspace.arrivals = cl::Buffer(handle<cl_mem>(buffer_arrivals));
  Progress progress;
  enqueue_gemm(built, problem, buffers, workspace, in_order, {}, progress);
  return std::move(recorder.launches);
}

std::string describe_operand(const Operand& operand) {
  return fmt::format(R"({{"transposed": {}, "ld": {}, "offset": {}, "stride": {}}})", operand.transposed,
                     operand.ld, operand.offset, operand.stride);
}

// The form of a problem.
struct Form {
  const char* name;
  bool transpose_a, transpose_b;
  bool odd;         // sizes and gaps are odd, so that nothing is aligned
  std::size_t gap;  // after each line, and before each matrix
  float alpha, beta;
  std::size_t batch;
  std::size_t parts;  // slices along k
  bool listed;
  bool falls_back = false;  // numbers that planes cannot hold; in a batch, those of its second GEMM
  bool tiny = true;         // if beta is 0, C is denormal
};
constexpr std::array forms = {
    Form{"as they lie", false, false, true, 0, 1.0f, 0.0f, 1, 1, false},
    Form{"A transposed, gaps", true, false, true, 3, 2.0f, -1.0f, 1, 1, false},
    Form{"B transposed, aligned gaps", false, true, false, 4, 1.0f, 1.0f, 1, 1, false},
    Form{"both transposed, aligned", true, true, false, 0, -1.0f, 0.0f, 1, 1, false},
    Form{"k in parts", false, false, false, 4, 1.0f, 2.0f, 1, 3, false},
    Form{"a batch", false, true, true, 3, 1.0f, -2.0f, 3, 1, false},
    Form{"a list", true, false, true, 0, 1.0f, 0.0f, 3, 1, true},
};

// Kernels with a fallback get these, too.
constexpr std::array fallback_forms = {
    Form{"numbers for the fallback", true, false, true, 3, 1.0f, 0.0f, 1, 1, false, true},
    Form{"a batch, one of them for the fallback", false, true, true, 3, 2.0f, -1.0f, 3, 1, false, true},
};

// Kernels with `persistent` get these, too. Work-groups compute several tiles each.
constexpr std::array forms_in_turns = {
    Form{"in turns", false, false, true, 3, 1.0f, -1.0f, 1, 1, false, false, false},
    Form{"in turns, aligned", true, false, false, 0, 1.0f, 0.0f, 1, 1, false, false, false},
    Form{"in turns, tiny numbers", true, true, true, 3, 1.0f, 0.0f, 1, 1, false},
};

// Returns a problem with edges in each direction. It has more than one tile unless `small`. `as_transpose` is
// for configs that compute the transpose.
Problem problem_for(const KernelConfig& kernel, bool as_transpose, const Form& form, bool small) {
  const Manifest& manifest = kernel.manifest();
  const std::size_t unit = form.odd ? 1 : 4;
  const auto side = [&](std::size_t tile, std::size_t most) {
    const bool in_one = small && tile > 32;
    const std::size_t wanted = form.odd ? (in_one ? tile - 3 : tile + 5) : (in_one ? tile - 4 : tile + 8);
    return std::min(wanted, most);
  };
  Problem problem;
  problem.m = side(kernel.tile_rows, manifest.most_rows);
  problem.n = side(kernel.tile_columns, manifest.most_columns);
  if (as_transpose) std::swap(problem.m, problem.n);
  problem.k =
      std::min((form.parts + 1) * round_up(kernel.tile_depth, unit) + (form.odd ? 3 : 4), manifest.most_k);
  if (manifest.is_for_small_k() && form.odd) {
    const std::size_t step = kernel.tile_depth;
    const std::size_t by_transposes[2][2] = {{step - 3, step + 1}, {step, manifest.most_k - 3}};
    problem.k = by_transposes[form.transpose_a][form.transpose_b];
  }
  problem.alpha = form.alpha;
  problem.beta = form.beta;
  problem.listed = form.listed;
  problem.batch_count = form.batch == 1 ? 1 : std::max(form.batch, kernel.matrices + 1);
  if (kernel.matrices > 1 && form.batch == 1) problem.batch_count = kernel.matrices + 1;
  if (problem.batch_count > 1 && !as_transpose) problem.m = std::min(problem.m, kernel.tile_rows);
  const auto place = [&](Operand& operand, bool transposed, std::size_t rows, std::size_t columns) {
    if (transposed) std::swap(rows, columns);
    operand = {transposed, columns + form.gap, 2 * form.gap, 0, 32};
    if (problem.batch_count > 1) operand.stride = rows * operand.ld + form.gap;
    if (form.listed) operand.offset = 0;
  };
  place(problem.a, form.transpose_a, problem.m, problem.k);
  place(problem.b, form.transpose_b, problem.k, problem.n);
  place(problem.c, false, problem.m, problem.n);
  return problem;
}

// Returns the list of a batch. Its matrices are in reverse order, and each has its own factors.
std::vector<Product> products_of(const Problem& problem) {
  std::vector<Product> result;
  for (std::size_t i = 0; problem.listed && i < problem.batch_count; ++i) {
    const std::size_t place = problem.batch_count - 1 - i;
    result.push_back({place * problem.a.stride, place * problem.b.stride, place * problem.c.stride,
                      static_cast<float>(i + 1), static_cast<float>(i % 3)});
  }
  return result;
}

// The properties of the numbers in A and B.
struct Wanted {
  bool planes;       // with more bits than a plane holds
  bool falls_back;   // as in Form
  bool by_fallback;  // the fallback multiplies them; otherwise the kernel itself does
  bool tiny;         // so small that C is denormal
};

// A target of emulate.py, and the device that it stands for.
struct Target {
  const char* name;
  Device device;
};

// The memory that a GEMM needs besides its matrices.
struct Memory {
  std::size_t scratch_bytes;
  std::size_t arrivals;  // words that are zero, before and after
};

std::string describe_gemm(const Target& target, const std::string& name, const Problem& problem,
                          Wanted wanted, const Memory& memory, const std::vector<std::string>& launches) {
  const std::vector<Product> products = products_of(problem);
  return fmt::format(
      R"({{"target": "{}", "name": "{}, {} x {} x {}, {} of them", "m": {}, "n": {}, "k": {}, "alpha": {}, "beta": {}, "batch": {},
 "a": {}, "b": {}, "c": {}, "list": "{}", "scratch": {}, "arrivals": {}, "planes": {}, "falls_back": {}, "by_fallback": {}, "tiny": {},
 "launches": [
  {}]}})",
      target.name, name, problem.m, problem.n, problem.k, problem.batch_count, problem.m, problem.n,
      problem.k, problem.alpha, problem.beta, problem.batch_count, describe_operand(problem.a),
      describe_operand(problem.b), describe_operand(problem.c),
      in_hex(products.data(), products.size() * sizeof(Product)), memory.scratch_bytes, memory.arrivals,
      wanted.planes, wanted.falls_back, wanted.by_fallback, wanted.tiny, fmt::join(launches, ",\n  "));
}

// Returns nothing if the kernel is not for such problems.
std::optional<std::string> multiply(const Target& target, ConfigCache& configs, Config config,
                                    const Form& form, bool small, Programs& programs) {
  const KernelConfig& kernel = *configs.get(config.kernel, config.parameters);
  const bool has_fallback = !kernel.manifest().fallback.empty();
  if (form.listed && !kernel.manifest().takes_lists()) return std::nullopt;
  if (form.falls_back && !has_fallback) return std::nullopt;
  if (form.parts > 1) {
    if (!can_split_k(kernel.manifest()) || kernel.matrices > 1) return std::nullopt;
    config.parameters[split_parameter] = static_cast<std::int64_t>(form.parts);
  }
  const Problem problem = problem_for(kernel, config.as_transpose, form, small);
  const Plan plan = make_plan(problem, config, configs, no_limit);
  return describe_gemm(
      target,
      fmt::format("{}: {}{}", to_string(config), config.as_transpose ? "as the transpose, " : "", form.name),
      problem,
      {has_fallback || !kernel.manifest().ptx_target.empty(), form.falls_back, !kernel.manifest().keeps_one(),
       form.tiny && form.beta == 0.0f && !form.listed},
      {plan.scratch_bytes, plan.arrivals()}, record(target.name, plan, problem, programs));
}

// Returns C <- beta * C.
std::string scaling(const Target& target, ConfigCache& configs, Programs& programs) {
  const SharedConfig scale = configs.get("scale", {});
  Form form = forms[1];
  form.alpha = 0.0f;
  const Problem problem = problem_for(*scale, false, form, false);
  RecordedKernels kernels(target.name, programs);
  enqueue_scale(*scale, kernels.add(*scale), problem, handle<cl_mem>(buffer_c), in_order, {});
  return describe_gemm(target, "scale: C alone", problem, {false, false, false, false}, {0, 0},
                       recorder.launches);
}

// Returns the configs of kernels on matrix units that calibration measures, and that may then be chosen.
std::vector<Config> configs_on_matrix_units(ConfigCache& configs) {
  std::vector<Config> result;
  for (const Config& config : built_in_configs(&Manifest::calibrated)) {
    try {
      if (configs.get(config.kernel, config.parameters)->products != 0) result.push_back(config);
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;  // the kernel is for another vendor
    }
  }
  return result;
}

// Returns the configs that may be chosen on the device, without duplicates: the first for each shape, and the
// best of each kernel.
std::vector<Config> configs_of(ConfigCache& configs) {
  std::vector<Config> result;
  std::set<Config> known;
  for (const Problem& problem : shapes()) {
    const auto candidates =
        rank_candidates(problem, configs, shipped_tuning(), no_limit, Precision::fp32).candidates;
    std::set<std::string> kernels;
    for (const Candidate& candidate : candidates) {
      if (!kernels.insert(candidate.config.kernel).second) continue;
      Config config = candidate.config;
      config.parameters.erase(split_parameter);
      if (known.insert(config).second) result.push_back(config);
    }
  }
  for (const Config& config : configs_on_matrix_units(configs)) {
    if (known.insert(config).second) result.push_back(config);
  }
  return result;
}

// Returns GEMMs for the emulated targets: all forms of all configs, except kernels that are skipped. With
// `few`, returns for each kernel one form of its smallest config, another form for each target, and split-K
// once for each target.
std::vector<std::string> gemms(const Target& target, const std::set<std::string>& passed_over,
                               std::size_t number, bool few, Programs& programs) {
  ConfigCache configs(target.device, {});
  std::vector<Config> chosen = configs_of(configs);
  std::erase_if(chosen, [&](const Config& one) { return passed_over.count(one.kernel) != 0; });
  std::vector<std::string> result;
  const auto add = [&](const Config& config, const Form& form) {
    if (auto one = multiply(target, configs, config, form, few, programs)) result.push_back(std::move(*one));
  };
  result.push_back(scaling(target, configs, programs));
  if (!few) {
    for (const Config& config : chosen) {
      for (const Form& form : forms) add(config, form);
      for (const Form& form : fallback_forms) add(config, form);
    }
    return result;
  }
  const auto work = [&](const Config& config) {
    const KernelConfig& kernel = *configs.get(config.kernel, config.parameters);
    return kernel.tile_rows * kernel.tile_columns * kernel.tile_depth * kernel.matrices;
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](const Config& x, const Config& y) { return work(x) < work(y); });
  std::set<std::string> kernels;
  for (const Config& config : chosen) {
    if (!kernels.insert(config.kernel).second) continue;
    constexpr std::size_t plain_forms = 4;
    add(config, forms[(number + kernels.size()) % plain_forms]);
    add(config, fallback_forms.back());
    for (std::size_t form = plain_forms; form < forms.size(); ++form) {
      if (kernels.size() == (number + form) % forms.size() + 1) add(config, forms[form]);
    }
  }
  return result;
}

// Returns GEMMs for Hopper: all forms of all configs in the H200's tuning data that only Hopper runs. With
// `few`, returns three forms of each config, and other ones for each, and one form in turns. TF32 cannot hold
// tiny numbers, so only two forms have them. A device with one compute unit leaves several tiles to each
// work-group.
std::vector<std::string> gemms_of_hopper(const Target& target, bool few, Programs& programs) {
  std::vector<Form> all(forms.begin(), forms.end());
  for (Form& form : all) form.tiny = false;
  all.push_back({"tiny numbers", true, true, true, 3, 1.0f, 0.0f, 1, 1, false});
  all.insert(all.end(), fallback_forms.begin(), fallback_forms.end());
  Target with_one_unit = target;
  with_one_unit.device.compute_units = 1;
  ConfigCache configs(target.device, {});
  ConfigCache configs_of_one_unit(with_one_unit.device, {});
  std::vector<std::string> result;
  std::size_t number = 0;
  for (const ConfigRow& row : shipped_tuning().tables(target.device).front().file->configs) {
    const Config& config = row.config;
    const SharedConfig kernel = configs.get(config.kernel, config.parameters);
    if (kernel->manifest().ptx_target.empty()) continue;
    std::vector<std::string> of_config;
    for (const Form& form : all) {
      if (auto one = multiply(target, configs, config, form, few, programs))
        of_config.push_back(std::move(*one));
    }
    const std::size_t count = few ? 3 : of_config.size();
    const std::size_t step = few ? 2 : 1;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(of_config[(number + i * step) % of_config.size()]);
    for (std::size_t i = 0; kernel->persistent != 0 && i < forms_in_turns.size(); ++i) {
      if (few && i != number % forms_in_turns.size()) continue;
      if (auto one = multiply(with_one_unit, configs_of_one_unit, config, forms_in_turns[i], false, programs))
        result.push_back(std::move(*one));
    }
    ++number;
  }
  return result;
}

}  // namespace
}  // namespace clgemm

// The functions that launch/ calls. They count no references, because nothing is ever released.
cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint place, std::size_t bytes, const void* value) {
  using namespace clgemm;
  std::vector<std::string>& arguments = recorder.arguments[number_of(kernel)];
  if (arguments.size() <= place) arguments.resize(place + 1);
  arguments[place] = describe_argument(value, bytes);
  return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue, cl_kernel kernel, cl_uint dimensions,
                                          const std::size_t*, const std::size_t* global,
                                          const std::size_t* local, cl_uint, const cl_event*, cl_event*) {
  using namespace clgemm;
  std::vector<std::size_t> groups;
  for (cl_uint i = 0; i < dimensions; ++i) groups.push_back(global[i] / local[i]);
  const std::size_t number = number_of(kernel);
  recorder.launches.push_back(fmt::format(
      R"({{"program": {}, "groups": [{}], "local": [{}], "arguments": ["{}"]}})",
      recorder.programs.at(number), fmt::join(groups, ", "), fmt::join(local, local + dimensions, ", "),
      fmt::join(recorder.arguments[number], "\", \"")));
  return CL_SUCCESS;
}

cl_int CL_API_CALL clRetainMemObject(cl_mem) {
  return CL_SUCCESS;
}
cl_int CL_API_CALL clReleaseMemObject(cl_mem) {
  return CL_SUCCESS;
}
cl_int CL_API_CALL clReleaseKernel(cl_kernel) {
  return CL_SUCCESS;
}

int main(int argc, char** argv) {
  using namespace clgemm;
  const bool few = argc == 3 && argv[2] == std::string_view("--few");
  if (argc != 2 && !few) {
    std::cerr << "launches FOLDER [--few]\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  Programs programs(folder);
  std::vector<std::string> all;
  std::size_t number = 0;
  std::set<std::string> of_amd;  // kernels
  for (const test::Sheet& sheet : test::sheets) {
    const std::string_view name = sheet.target;
    // The emulator does not support RDNA 2.
    if (name.substr(0, 3) != "gfx" || name == "gfx1030") continue;
    const Target target{sheet.target, device_of(sheet)};
    ConfigCache configs(target.device, {});
    for (const Config& config : configs_of(configs)) of_amd.insert(config.kernel);
    for (std::string& one : gemms(target, {}, number++, few, programs)) all.push_back(std::move(one));
  }
  for (const test::Sheet& sheet : test::sheets) {
    if (sheet.name != std::string_view("Mali-G710 r0p0")) continue;
    const Target target{"gfx1100", device_of(sheet)};
    for (std::string& one : gemms(target, of_amd, number++, few, programs)) all.push_back(std::move(one));
  }
  const Target hopper{"sm_90", test::made_up_h200()};
  for (std::string& one : gemms_of_hopper(hopper, few, programs)) all.push_back(std::move(one));
  std::ofstream(folder / "launches.json")
      << fmt::format("{{\"programs\": [\n{}\n], \"multiplies\": [\n{}\n]}}\n",
                     fmt::join(programs.lines(), ",\n"), fmt::join(all, ",\n"));
  return 0;
}
