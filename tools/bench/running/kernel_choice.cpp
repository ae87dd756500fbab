#include "running/kernel_choice.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning_files.hpp"
#include "kernel/config_cache.hpp"
#include "kernel/kernel_config.hpp"
#include "kernel/precision.hpp"
#include "plan/blocks.hpp"

namespace clgemm::bench {
namespace {

Options options_for(const std::string& kernel, const Parameters& parameters, const std::string& folder) {
  Options result;
  result.kernel = kernel;
  result.parameters = parameters;
  result.kernel_folder = folder;
  return result;
}

// Adds a kernel and its variants, except variants that are the kernel's defaults under another name.
void add_with_variants(const NamedKernel& kernel, const std::string& folder,
                       std::vector<KernelChoice>& choices) {
  std::set<Parameters> seen;
  const auto add = [&](const std::string& name, const Parameters& variant) {
    Parameters values;
    for (const auto& parameter : kernel.file->manifest.parameters)
      values[parameter.name] = parameter.default_value;
    for (const auto& [parameter, value] : variant) values[parameter] = value;
    if (seen.insert(values).second) choices.push_back({name, options_for(name, {}, folder), false});
  };
  add(kernel.name, {});
  for (const Manifest::Variant& variant : kernel.file->manifest.variants) add(variant.name, variant.values);
}

// Checks a kernel that was named explicitly, before any work.
void check_named(KernelLibrary& library, const KernelChoice& choice, const Device& device) {
  const NamedKernel kernel = library.find(choice.options.kernel);
  if (kernel.file->manifest.role != Role::gemm) {
    throw Error(ErrorCode::kernel_not_found,
                "'" + choice.options.kernel + "' is not a GEMM kernel but one of clgemm's own helpers");
  }
  try {
    configure(kernel, choice.options.parameters, device);
  } catch (const Error& error) {
    // Its defaults may exceed this device's limits although other parameters do not.
    if (!choice.options.parameters.empty() || !is_device_limit(error)) throw;
  }
}

}  // namespace

std::vector<KernelChoice> choose_kernels(const BenchOptions& options, const Device& device) {
  const std::string folder = kernel_folder_or_default(options.kernel_folder);
  KernelLibrary library(folder);
  std::vector<KernelChoice> choices;
  for (const std::string& kernel : options.kernels) {
    if (kernel == "all") {
      for (const std::string& name : library.names(Role::gemm)) {
        const NamedKernel found = library.find(name);
        if (allows(options.precision, found.file->manifest.precision))
          add_with_variants(found, folder, choices);
      }
    } else if (kernel == "auto") {
      choices.push_back({"auto", options_for({}, {}, folder), true});
    } else {
      choices.push_back({kernel, options_for(kernel, options.parameters, folder), true});
      check_named(library, choices.back(), device);
      choices.back().name = library.find(kernel).name;
    }
  }
  std::vector<KernelChoice> unique;
  std::set<std::string> seen;
  for (KernelChoice& choice : choices) {
    choice.options.precision = options.precision;
    if (seen.insert(choice.options.kernel).second) unique.push_back(std::move(choice));
  }
  return unique;
}

std::vector<KernelChoice> with_own_parameters(std::vector<KernelChoice> choices, const SgemmCall& call,
                                              const Device& device) {
  if (choices.empty()) return choices;
  const Options& options = choices.front().options;
  ConfigCache configs(device, options.kernel_folder);
  Problem problem = canonical(call);
  problem.a.base_alignment = problem.b.base_alignment = device.base_alignment_bytes / sizeof(float);
  const Ranking ranking = rank_candidates(problem, configs, tuning_from_environment(),
                                          default_scratch_limit(device), options.precision);
  for (KernelChoice& choice : choices) {
    const auto is_this = [&choice](const Candidate& candidate) {
      return candidate.config.kernel == choice.options.kernel && !candidate.config.as_transpose;
    };
    const auto found = std::find_if(ranking.candidates.begin(), ranking.candidates.end(), is_this);
    if (!choice.options.parameters.empty() || found == ranking.candidates.end()) continue;
    choice.options.parameters = found->config.parameters;
  }
  return choices;
}

bool is_device_limit(const Error& error) {
  return error.code() == ErrorCode::device_limit_exceeded || error.code() == ErrorCode::requirement_failed;
}

}  // namespace clgemm::bench
