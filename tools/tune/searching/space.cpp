#include "tune/searching/space.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "common/kernel_names.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm::tune {
namespace {

bool is_possible(const NamedKernel& kernel, const Parameters& values, const Device& device) {
  try {
    configure(kernel, values, device);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::requirement_failed && error.code() != ErrorCode::device_limit_exceeded)
      throw;
    return false;
  }
}

// Counts through all combinations, with the last parameter fastest. Returns false after the last one.
bool advance(std::vector<std::size_t>& places, const std::vector<Manifest::Parameter>& parameters) {
  for (std::size_t i = places.size(); i-- > 0;) {
    if (++places[i] < parameters[i].values.size()) return true;
    places[i] = 0;
  }
  return false;
}

}  // namespace

KernelSpace space_of(const std::string& kernel, const Device& device, KernelLibrary& library) {
  const NamedKernel named = library.find(kernel);
  KernelSpace space{kernel, named.file->manifest.parameters, {}};
  std::vector<std::size_t> places(space.parameters.size(), 0);
  do {
    Config config{kernel, {}};
    for (std::size_t i = 0; i < places.size(); ++i)
      config.parameters[space.parameters[i].name] = space.parameters[i].values[places[i]];
    if (is_possible(named, config.parameters, device)) space.configs.push_back(std::move(config));
  } while (advance(places, space.parameters));
  return space;
}

std::vector<KernelSpace> spaces_of(const std::vector<std::string>& kernels, const Device& device,
                                   KernelLibrary& library) {
  std::vector<KernelSpace> result;
  const auto add = [&](KernelSpace space) {
    const auto is_same = [&](const KernelSpace& one) { return one.kernel == space.kernel; };
    if (std::none_of(result.begin(), result.end(), is_same)) result.push_back(std::move(space));
  };
  for (const std::string& kernel : kernels) {
    if (kernel == "all") {
      for (const std::string& name : library.names(Role::gemm)) {
        KernelSpace space = space_of(name, device, library);
        if (!space.configs.empty()) add(std::move(space));
      }
      continue;
    }
    const NamedKernel named = library.find(kernel);
    if (named.file->manifest.role != Role::gemm)
      throw Error(ErrorCode::kernel_not_found, "'" + kernel + "' is not a GEMM kernel");
    KernelSpace space =
        space_of(bench::names_a_file(kernel) ? kernel : named.file->manifest.name, device, library);
    if (space.configs.empty()) configure(named, {}, device);  // the defaults are one of them, so this throws
    add(std::move(space));
  }
  return result;
}

std::vector<Config> neighbours(const KernelSpace& space, const Config& config) {
  std::vector<Config> result;
  for (const Manifest::Parameter& parameter : space.parameters) {
    std::vector<std::int64_t> values = parameter.values;
    std::sort(values.begin(), values.end());
    const auto place = std::find(values.begin(), values.end(), config.parameters.at(parameter.name));
    for (const int step : {-1, 1}) {
      if ((step < 0 && place == values.begin()) || (step > 0 && std::next(place) == values.end())) continue;
      Config next = config;
      next.parameters[parameter.name] = *std::next(place, step);
      if (std::find(space.configs.begin(), space.configs.end(), next) != space.configs.end())
        result.push_back(std::move(next));
    }
  }
  return result;
}

}  // namespace clgemm::tune
