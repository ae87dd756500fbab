#include "tune/measuring/fake_times.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace clgemm::tune {
namespace {

// FNV-1a, which is the same on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}  // namespace

bool times_are_fake() {
  const char* value = std::getenv("CLGEMM_TUNE_FAKE_TIMES");
  return value != nullptr && std::string_view(value) == "1";
}

Outcome with_fake_times(const Trial& trial, Outcome outcome) {
  outcome.spent_s = 0.05;
  if (!outcome.is_right()) return outcome;
  // Between 1 and 3, and smooth in the parameters, so that there is a hill to climb.
  double height = 0.0;
  for (const auto& [name, value] : trial.config.parameters) {
    const double wanted = static_cast<double>(hash_of(trial.config.kernel + name) % 8);
    height += std::abs(std::log2(static_cast<double>(value) + 1.0) - wanted);
  }
  const double noise = static_cast<double>(hash_of(to_string(trial.config)) % 1000) * 1e-4;
  outcome.ms = bench::operations(trial.size) * 1e-8 * (1.0 + 0.2 * height + noise);
  return outcome;
}

}  // namespace clgemm::tune
