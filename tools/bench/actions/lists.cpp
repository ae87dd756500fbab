#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "actions/actions.hpp"
#include "base/device.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "common/text_table.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm::bench {
namespace {

const std::map<DeviceKind, const char*> kind_names = {
    {DeviceKind::cpu, "CPU"}, {DeviceKind::gpu, "GPU"}, {DeviceKind::other, "other"}};

}  // namespace

bool list_devices(std::ostream& out, const BenchOptions& /*options*/) {
  TextTable table({{"index"},
                   {"device", Align::left},
                   {"kind", Align::left},
                   {"units"},
                   {"memory MiB"},
                   {"platform", Align::left},
                   {"driver", Align::left}});
  find_device("");  // throws if there is none
  std::string note = "*: the default device, because of CLGEMM_DEVICE or its kind\n";
  cl::Device by_default;
  try {
    by_default = default_device();
  } catch (const Error& error) {
    note = fmt::format("{}\n", error.what());
  }
  const std::vector<cl::Device> devices = all_devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device device = describe(devices[i]);
    const bool is_default = devices[i]() == by_default();
    table.add_row({fmt::format("{}{}", is_default ? "* " : "", i), device.name, kind_names.at(device.kind),
                   std::to_string(device.compute_units), std::to_string(device.global_bytes >> 20U),
                   device.platform_name, device.driver_version});
  }
  table.print(out);
  out << note;
  return true;
}

bool list_kernels(std::ostream& out, const BenchOptions& options) {
  KernelLibrary library(kernel_folder_or_default(options.kernel_folder));
  for (const std::string& name : library.names(Role::gemm)) {
    const NamedKernel kernel = library.find(name);
    const Manifest& manifest = kernel.file->manifest;
    out << fmt::format("{}: {}\n", name, printable(manifest.summary));
    for (const Manifest::Parameter& parameter : manifest.parameters) {
      out << fmt::format("    {}={} (of {})\n", parameter.name, parameter.default_value,
                         fmt::join(parameter.values, " "));
    }
    for (const Manifest::Variant& variant : manifest.variants) {
      out << fmt::format("    variant {}: {}\n", variant.name, describe_values(variant.values));
    }
  }
  return true;
}

bool show_kernel(std::ostream& out, const BenchOptions& options) {
  const std::string& name = options.show_kernel;
  const std::string folder = kernel_folder_or_default(options.kernel_folder);
  const KernelFolders folders(folder.empty() ? std::vector<std::filesystem::path>{}
                                             : std::vector<std::filesystem::path>{folder});
  std::optional<SourceFile> file =
      name.ends_with(".cl") ? folders.find(name) : folders.find_kernel(name + ".cl");
  if (!file && !name.ends_with(".cl")) {
    // The name may be that of a variant.
    file = folders.find_kernel(KernelLibrary(folder).find(name).file->manifest.name + ".cl");
  }
  if (!file) {
    std::vector<std::string> known;
    for (const EmbeddedFile& one : embedded_files()) known.emplace_back(one.path);
    throw Error(ErrorCode::kernel_not_found,
                fmt::format("there is no built-in file '{}'{}", name, did_you_mean(name, known)));
  }
  out << file->text;
  return true;
}

}  // namespace clgemm::bench
