#include "kernel/kernel_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/device_facts.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/sizes.hpp"
#include "base/words.hpp"

namespace clgemm {
namespace {

Parameters values_of(const NamedKernel& kernel, const Parameters& overrides) {
  const Manifest& manifest = kernel.file->manifest;
  Parameters result;
  for (const Manifest::Parameter& parameter : manifest.parameters)
    result[parameter.name] = parameter.default_value;
  for (const auto& [name, value] : kernel.variant_values) result[name] = value;
  for (const auto& [name, value] : overrides) {
    if (name == split_parameter && can_split_k(manifest)) continue;
    const Manifest::Parameter* parameter = manifest.find_parameter(name);
    if (parameter == nullptr) {
      std::vector<std::string> known;
      for (const Manifest::Parameter& other : manifest.parameters) known.push_back(other.name);
      throw Error(ErrorCode::invalid_parameter,
                  fmt::format("the kernel '{}' ({}) has no parameter '{}'; it has {}{}", kernel.name,
                              kernel.file->path, name,
                              known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                              did_you_mean(name, known)));
    }
    if (std::count(parameter->values.begin(), parameter->values.end(), value) == 0) {
      throw Error(ErrorCode::invalid_parameter,
                  fmt::format("{}:{}: {}={}: {} must be one of {}", kernel.file->path, parameter->line, name,
                              value, name, fmt::join(parameter->values, " ")));
    }
    result[name] = value;
  }
  return result;
}

std::size_t split_k_of(const NamedKernel& kernel, const Parameters& overrides) {
  constexpr std::int64_t most = max_groups_beyond_first;  // slices are counted in dimension 2 of the launch
  const auto found = overrides.find(split_parameter);
  if (found == overrides.end()) return 0;
  if (found->second >= 0 && found->second <= most) return static_cast<std::size_t>(found->second);
  throw Error(ErrorCode::invalid_parameter,
              fmt::format("the kernel '{}': {}={}: it must be from 0 (clgemm's choice) to {}", kernel.name,
                          split_parameter, found->second, most));
}

std::int64_t device_value(const Device& device, const std::string& name) {
  if (name == "local_bytes") return static_cast<std::int64_t>(device.local_bytes);
  if (name == "local_in_global") return facts_of(device).local_cache_bytes > 0.0 ? 1 : 0;
  if (name == "max_work_group_size") return static_cast<std::int64_t>(device.max_work_group_size);
  if (name == "compute_units") return static_cast<std::int64_t>(device.compute_units);
  if (name == "native_float_width") return static_cast<std::int64_t>(device.native_float_width);
  if (name == "is_cpu") return device.kind == DeviceKind::cpu ? 1 : 0;
  if (name == "nvidia_sm") return static_cast<std::int64_t>(device.nvidia_sm);
  if (name == "matrix_sub_group") return static_cast<std::int64_t>(facts_of(device).matrix_sub_group);
  if (name.back() == ')') {
    const std::size_t open = name.find('(');
    const bool is_extension = name.substr(0, open) == "extension";
    const std::string word = name.substr(open + 1, name.size() - open - 2);
    const std::string& text = is_extension ? device.extensions : device.name;
    if (word.back() == '*') return has_word_from(text, word.substr(0, word.size() - 1)) ? 1 : 0;
    return has_word(text, word) ? 1 : 0;
  }
  throw Error(ErrorCode::internal_error, fmt::format("there is no device value '{}'", name));
}

// Evaluates the rules of one kernel with its values. If a rule fails, the Error names file and line.
class Rules {
 public:
  Rules(const NamedKernel& kernel, const Parameters& values, const Device& device, Transposed transposed)
      : kernel_(kernel), values_(values), device_(device), transposed_(transposed) {}

  std::int64_t evaluate(const Manifest::Rule& rule) const {
    try {
      return rule.expression.evaluate([this](const std::string& name) -> std::int64_t {
        if (const auto found = values_.find(name); found != values_.end()) return found->second;
        if (name == transpose_a_name) return transposed_.a ? 1 : 0;
        if (name == transpose_b_name) return transposed_.b ? 1 : 0;
        return device_value(device_, name);
      });
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", place(rule), error.what()));
    }
  }

  std::size_t positive(const Manifest::Rule& rule) const {
    const std::int64_t value = evaluate(rule);
    if (value > 0) return static_cast<std::size_t>(value);
    throw Error(ErrorCode::requirement_failed,
                fmt::format("{}: '{}' is {} with {}; it must be positive", place(rule),
                            rule.expression.text(), value, describe_values(values_)));
  }

  // Evaluates a side of a tile, or another size by which the host counts tiles and work-groups. Blocks of a
  // problem are whole tiles, so a tile larger than the limit of blocks would leave no block. Our largest tile
  // is 4096.
  std::size_t size(const Manifest::Rule& rule) const {
    constexpr std::size_t most = std::size_t{1} << 20;
    const std::size_t value = positive(rule);
    if (value <= most) return value;
    throw Error(ErrorCode::requirement_failed,
                fmt::format("{}: '{}' is {} with {}; it may be {} at most", place(rule),
                            rule.expression.text(), value, describe_values(values_), most));
  }

  // Returns the number of which scratch and aligned sizes are multiples.
  std::size_t align() const {
    const std::size_t value = size(kernel_.file->manifest.align);
    if (cache_line % value == 0) return value;
    const Manifest::Rule& rule = kernel_.file->manifest.align;
    throw Error(ErrorCode::requirement_failed,
                fmt::format("{}: '{}' is {} with {}; it must be a power of two, {} at most", place(rule),
                            rule.expression.text(), value, describe_values(values_), cache_line));
  }

  // Returns 0 or a number that PTX can express.
  std::size_t registers() const { return up_to(255, kernel_.file->manifest.registers); }

  // Returns a value from 0 to `most`.
  std::size_t up_to(std::int64_t most, const Manifest::Rule& rule) const {
    const std::int64_t value = evaluate(rule);
    if (value >= 0 && value <= most) return static_cast<std::size_t>(value);
    throw Error(ErrorCode::requirement_failed,
                fmt::format("{}: '{}' is {} with {}; it must be from 0 to {}", place(rule),
                            rule.expression.text(), value, describe_values(values_), most));
  }

  // Returns 1 if the kernel reads A in place, and 2 if it reads B in place.
  std::int64_t kept() const {
    const Manifest::Rule& rule = kernel_.file->manifest.kept;
    const std::int64_t value = evaluate(rule);
    if (value == 1 || value == 2) return value;
    throw Error(ErrorCode::requirement_failed,
                fmt::format("{}: '{}' is {} with {}; it must be 1 for A or 2 for B", place(rule),
                            rule.expression.text(), value, describe_values(values_)));
  }

  void check_share(const Manifest::Rule& rule, std::size_t share, std::size_t tile) const {
    if (share <= tile) return;
    throw Error(ErrorCode::requirement_failed,
                fmt::format("{}: '{}' is {} with {}; a share cannot be larger than the tile, {}", place(rule),
                            rule.expression.text(), share, describe_values(values_), tile));
  }

  void require(const Manifest::Rule& rule) const {
    if (evaluate(rule) != 0) return;
    std::vector<std::string> facts;
    if (!values_.empty()) facts.push_back(describe_values(values_));
    for (const std::string& name : rule.expression.names()) {
      if (values_.count(name) == 0)
        facts.push_back(fmt::format("{} is {} on '{}'", name, device_value(device_, name), device_.name));
    }
    throw Error(ErrorCode::requirement_failed,
                fmt::format("{}: the kernel '{}' requires '{}', which does not hold with {}", place(rule),
                            kernel_.name, rule.expression.text(), fmt::join(facts, ", ")));
  }

 private:
  std::string place(const Manifest::Rule& rule) const {
    return fmt::format("{}:{}", kernel_.file->path, rule.line);
  }

  const NamedKernel& kernel_;
  const Parameters& values_;
  const Device& device_;
  Transposed transposed_;
};

void check_device_limits(const KernelConfig& config, const Device& device) {
  const std::size_t items = config.work_items();
  for (std::size_t i = 0; i < config.local.size(); ++i) {
    if (config.local[i] > device.max_work_item_sizes.at(i)) {
      throw Error(ErrorCode::device_limit_exceeded,
                  fmt::format("the kernel '{}' with {} has {} work-items in dimension {}; '{}' allows {}",
                              config.name, describe_values(config.values), config.local[i], i, device.name,
                              device.max_work_item_sizes[i]));
    }
  }
  if (items > device.max_work_group_size) {
    throw Error(
        ErrorCode::device_limit_exceeded,
        fmt::format("the kernel '{}' with {} has work-groups of {} work-items; '{}' allows {}", config.name,
                    describe_values(config.values), items, device.name, device.max_work_group_size));
  }
}

// The only place that writes the -D options of a kernel.
void define(KernelConfig& config, const Parameters& definitions) {
  for (const auto& [name, value] : definitions) config.build_options += fmt::format(" -D{}={}", name, value);
}

// Adds the options that Intel's compiler needs to fit a kernel into the registers. Kernels on matrix units
// always need the large ones. Mesa's compiler does not know these options.
void ask_for_registers(KernelConfig& config, const Device& device) {
  constexpr std::size_t fit_without = 32;
  if (device.platform_name.rfind("Intel(R) OpenCL", 0) != 0 || device.kind != DeviceKind::gpu) return;
  const DeviceFacts facts = facts_of(device);
  if (facts.has_large_registers && (config.results > fit_without || config.products != 0))
    config.build_options += " -cl-intel-256-GRF-per-thread";
  if (facts.required_sub_group != 0 && has_word(device.extensions, "cl_intel_required_subgroup_size"))
    define(config, {{"SUB_GROUP_SIZE", static_cast<std::int64_t>(facts.required_sub_group)}});
}

void set_speed_facts(const Manifest& manifest, const Rules& rules, DeviceKind kind, KernelConfig& config) {
  const auto set = [&rules](std::size_t& value, const Manifest::Rule& rule) {
    if (rule.line != 0) value = rules.positive(rule);
  };
  if (manifest.calibrate_if.line != 0) config.is_calibrated = rules.evaluate(manifest.calibrate_if) != 0;
  set(config.products, manifest.products);
  if (kind == DeviceKind::gpu) {
    config.results = config.tile_rows * config.tile_columns * config.matrices / config.work_items();
    set(config.results, manifest.results);
    set(config.stores, manifest.stores);
    set(config.into_local, manifest.into_local);
  }
  if (kind != DeviceKind::cpu) return;
  set(config.vector, manifest.vector);
  set(config.kept_bytes, manifest.keeps);
  set(config.panel_depth, manifest.panel_depth);
  set(config.rows_at_once, manifest.rows_at_once);
}

void check_opencl_c(const NamedKernel& kernel, const Device& device) {
  const std::string& version = kernel.file->manifest.opencl_c;
  if (std::find(device.opencl_c.begin(), device.opencl_c.end(), version) != device.opencl_c.end()) return;
  throw Error(ErrorCode::requirement_failed,
              fmt::format("{}: the kernel '{}' is written in OpenCL C {}; '{}' takes {}", kernel.file->path,
                          kernel.name, version, device.name, fmt::join(device.opencl_c, ", ")));
}

}  // namespace

std::size_t KernelConfig::work_items() const {
  return std::accumulate(local.begin(), local.end(), std::size_t{1}, std::multiplies<>());
}

bool KernelConfig::reads_in_place() const {
  return manifest().operands == in_place_form || manifest().role == Role::fallback;
}

bool is_verbose(const Device& device) {
  return has_word(device.extensions, "cl_nv_compiler_options");
}

bool can_split_k(const Manifest& manifest) {
  return manifest.operands == in_place_form || manifest.operands == padded_form || manifest.takes_slices();
}

KernelConfig configure(const NamedKernel& kernel, const Parameters& overrides, const Device& device,
                       Transposed transposed) {
  const Manifest& manifest = kernel.file->manifest;
  KernelConfig config;
  config.name = kernel.name;
  config.file = kernel.file;
  config.values = values_of(kernel, overrides);
  config.split_k = split_k_of(kernel, overrides);

  check_opencl_c(kernel, device);
  const Rules rules(kernel, config.values, device, transposed);
  for (const Manifest::Rule& rule : manifest.requirements) rules.require(rule);
  config.tile_rows = rules.size(manifest.tile_rows);
  config.tile_columns = rules.size(manifest.tile_columns);
  config.tile_depth = rules.size(manifest.tile_depth);
  if (manifest.depends_on_operands()) {
    const Rules untransposed(kernel, config.values, device, {});
    config.tile_growth =
        static_cast<double>(config.tile_rows * config.tile_columns) /
        static_cast<double>(untransposed.size(manifest.tile_rows) * untransposed.size(manifest.tile_columns));
  }
  if (manifest.takes_shares()) {
    config.share_rows = rules.size(manifest.share_rows);
    config.share_columns = rules.size(manifest.share_columns);
    rules.check_share(manifest.share_rows, config.share_rows, config.tile_rows);
    rules.check_share(manifest.share_columns, config.share_columns, config.tile_columns);
  }
  if (manifest.takes_lists()) config.matrices = rules.size(manifest.matrices);
  if (manifest.takes_slices()) config.adds_slices = rules.evaluate(manifest.adds_slices) != 0;
  for (const auto& [name, rule] : manifest.fallback_parameters)
    config.fallback_values[name] = rules.evaluate(rule);
  for (const auto& [name, rule] : manifest.packing_parameters)
    config.packing_values[name] = rules.evaluate(rule);
  if (manifest.keeps_one()) {
    config.keeps_a = rules.kept() == 1;
    config.keeps_b = !config.keeps_a;
  }
  constexpr std::int64_t most_groups = 64;  // no GPU runs more on a compute unit at a time
  if (manifest.persistent.line != 0) config.persistent = rules.up_to(most_groups, manifest.persistent);
  config.align = rules.align();
  for (const Manifest::Rule& rule : manifest.local) config.local.push_back(rules.positive(rule));
  check_device_limits(config, device);
  if (manifest.registers.line != 0 && device.nvidia_sm != 0) config.registers = rules.registers();
  set_speed_facts(manifest, rules, device.kind, config);
  config.build_options = "-cl-std=CL" + manifest.opencl_c;
  if (device.nvidia_sm != 0) define(config, {{"NVIDIA_SM", static_cast<std::int64_t>(device.nvidia_sm)}});
  if (is_verbose(device)) config.build_options += fmt::format(" {}", verbose_option);
  ask_for_registers(config, device);
  define(config, config.values);
  return config;
}

KernelConfig with_macros(KernelConfig config, const Parameters& macros) {
  define(config, macros);
  config.macros = macros;
  return config;
}

std::size_t widest_cpu_vector(const Device& device) {
  constexpr std::size_t narrowest = 4;
  return std::max(narrowest, device.native_float_width);
}

std::size_t packed_size(const KernelConfig& pack_kernel, std::size_t rows, std::size_t columns) {
  const Manifest::Rule& rule = pack_kernel.manifest().packed_size;
  try {
    const std::int64_t size = rule.expression.evaluate([&](const std::string& name) {
      if (name == packed_rows_name) return static_cast<std::int64_t>(rows);
      if (name == packed_columns_name) return static_cast<std::int64_t>(columns);
      return pack_kernel.values.at(name);
    });
    return std::min(static_cast<std::size_t>(std::max<std::int64_t>(size, 0)), beyond_memory);
  } catch (const Error&) {
    return beyond_memory;  // an overflow
  }
}

}  // namespace clgemm
