#include "peers/clblast_tuned_file.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "common/whole_file.hpp"

namespace clgemm::bench {
namespace {

// The tuner's families and the kernels that they tune. If a name is the beginning of another, the longer name
// comes first.
struct Family {
  const char* prefix;
  const char* kernel;
};
constexpr Family families[] = {{"xgemm_direct", "XgemmDirect"},
                               {"xgemm", "Xgemm"},
                               {"gemm_routine", "GemmRoutine"},
                               {"copy", "Copy"},
                               {"pad_transpose", "Padtranspose"},
                               {"padtranspose", "Padtranspose"},
                               {"pad", "Pad"},
                               {"transpose", "Transpose"}};

// A parameter of the build, not of the kernel.
constexpr const char* precision_parameter = "PRECISION";

std::string kernel_of(const std::string& family) {
  for (const Family& candidate : families) {
    if (family.starts_with(candidate.prefix)) return candidate.kernel;
  }
  throw std::runtime_error(fmt::format("'{}' is not a kernel of CLBlast's GEMM", family));
}

std::unordered_map<std::string, std::size_t> parse_parameters(const std::string& text) {
  std::unordered_map<std::string, std::size_t> parameters;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::runtime_error(fmt::format("'{}' is not NAME=VALUE", word));
    parameters[word.substr(0, equals)] = std::stoul(word.substr(equals + 1));
  }
  parameters.erase(precision_parameter);
  return parameters;
}

}  // namespace

TunedKernel read_tuned_kernel(const std::string& path) {
  try {
    const nlohmann::json tuned = nlohmann::json::parse(read_whole(path));
    if (tuned.at("precision") != "32") throw std::runtime_error("not for fp32");
    return {kernel_of(tuned.at("kernel_family")), parse_parameters(tuned.at("best_parameters")),
            std::stod(tuned.at("best_time").get<std::string>()), tuned.value("clblast_device_name", "")};
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
  }
}

std::vector<TunedKernel> best_of_each_kernel(const std::vector<TunedKernel>& kernels) {
  std::map<std::string, TunedKernel> best;
  for (const TunedKernel& kernel : kernels) {
    const auto [known, is_new] = best.emplace(kernel.kernel, kernel);
    if (!is_new && kernel.best_ms < known->second.best_ms) known->second = kernel;
  }
  std::vector<TunedKernel> result;
  for (const auto& [name, kernel] : best) result.push_back(kernel);
  return result;
}

}  // namespace clgemm::bench
