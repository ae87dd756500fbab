// CLBlast's call and the parameters that it works with.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "contestants/contestant.hpp"

namespace clgemm::bench {

// Parameters by the name of CLBlast's kernel, such as "Xgemm".
using ClblastParameters = std::map<std::string, std::unordered_map<std::string, std::size_t>>;

// The best parameters in a file that CLBlast's tuner wrote, for fp32.
struct TunedKernel {
  std::string kernel;  // as CLBlast's database calls it
  std::unordered_map<std::string, std::size_t> parameters;
  double best_ms = 0.0;
  std::string device;
};

// Throws std::runtime_error where it is not such a file.
TunedKernel read_tuned_kernel(const std::string& path);

// Of several files for the same kernel, the one with the best time, as CLBlast's own database does it.
std::vector<TunedKernel> best_of_each_kernel(const std::vector<TunedKernel>& kernels);

// Without parameters: those that CLBlast ships.
std::unique_ptr<Contestant> make_clblast_contestant(const DeviceData& data, ClblastParameters parameters);

// "1.5.3". Throws std::runtime_error where there is no CLBlast.
std::string clblast_version();

// Throws std::runtime_error where CLBlast does not take these parameters on this device.
void try_parameters(cl_device_id device, const ClblastParameters& parameters);

}  // namespace clgemm::bench
