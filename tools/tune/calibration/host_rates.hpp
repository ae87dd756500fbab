// Measures the rates of host matrices to a device and back, by calls of the library.
#pragma once

#include <clgemm/clgemm.hpp>
#include <optional>

#include "base/rates.hpp"

namespace clgemm::tune {

// `link` is the result of a probe on a device with its own memory. The calls measure the rate while both
// directions are in use, and the time of a call itself.
HostRates measured_host_rates(Context& context, const std::optional<HostRates>& link);

}  // namespace clgemm::tune
