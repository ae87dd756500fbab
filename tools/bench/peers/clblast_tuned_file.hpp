// The files of CLBlast's tuner: JSON with the best parameters as "NAME=VALUE NAME=VALUE ...".
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace clgemm::bench {

// The best parameters in a file that CLBlast's tuner wrote, for fp32.
struct TunedKernel {
  std::string kernel;  // the name in CLBlast's database, such as "Xgemm"
  std::unordered_map<std::string, std::size_t> parameters;
  double best_ms = 0.0;
  std::string device;
};

// Throws std::runtime_error if it is not such a file.
TunedKernel read_tuned_kernel(const std::string& path);

// Keeps the file with the best time for each kernel, like CLBlast's own database.
std::vector<TunedKernel> best_of_each_kernel(const std::vector<TunedKernel>& kernels);

}  // namespace clgemm::bench
