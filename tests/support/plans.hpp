// Plans that are made without a device, and the conditions that every plan must meet.
#pragma once

#include <string>

#include "base/device.hpp"
#include "kernel/config_cache.hpp"
#include "plan/make_plan.hpp"
#include "support/made_up.hpp"
#include "support/problems.hpp"

namespace clgemm::test {

struct Planner {
  Device device = made_up_gpu();
  std::string folder{};  // is searched for kernels before the built-in ones
  ConfigCache configs{device, folder};

  Plan operator()(const Problem& problem, const std::string& kernel, std::size_t limit = no_limit) {
    return (*this)(problem, Config{kernel, {}}, limit);
  }
  Plan operator()(const Problem& problem, const Config& config, std::size_t limit = no_limit) {
    return make_plan(problem, config, configs, limit);
  }
};

// Fails the calling test if the plan of `problem` is not valid.
void check_plan(const Plan& plan, const Problem& problem, std::size_t limit);

// Returns the bytes of scratch for one tile of A and one of B, which is the least that a plan needs if it
// packs both.
std::size_t tile_bytes(const KernelConfig& kernel);

// Returns the same for any kernel. Planes take more memory, and so does packing that writes notes.
std::size_t least_scratch_bytes(Planner& make, const std::string& kernel);

}  // namespace clgemm::test
