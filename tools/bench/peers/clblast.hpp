// CLBlast's call and its parameters.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "measuring/contestant.hpp"

namespace clgemm::bench {

// Parameters by the name of CLBlast's kernel, such as "Xgemm".
using ClblastParameters = std::map<std::string, std::unordered_map<std::string, std::size_t>>;

// The best parameters in a file that CLBlast's tuner wrote, for fp32.
struct TunedKernel {
  std::string kernel;  // the name in CLBlast's database
  std::unordered_map<std::string, std::size_t> parameters;
  double best_ms = 0.0;
  std::string device;
};

// Throws std::runtime_error if it is not such a file.
TunedKernel read_tuned_kernel(const std::string& path);

// Keeps the file with the best time for each kernel, like CLBlast's own database.
std::vector<TunedKernel> best_of_each_kernel(const std::vector<TunedKernel>& kernels);

// Without parameters, it uses those that CLBlast ships.
std::unique_ptr<Contestant> make_clblast_contestant(const DeviceData& data, ClblastParameters parameters);

// Returns "1.5.3". Throws std::runtime_error if there is no CLBlast.
std::string clblast_version();

// Throws std::runtime_error if CLBlast does not accept these parameters on this device.
void try_parameters(cl_device_id device, const ClblastParameters& parameters);

}  // namespace clgemm::bench
