// How host matrices come to a device and back, by calls of the library.
#pragma once

#include <clgemm/clgemm.hpp>
#include <optional>

#include "base/rates.hpp"

namespace clgemm::tune {

// `link` is what a probe has measured of a device with memory of its own; calls say what it is worth while
// both ways are in use, and what a call takes beside.
HostRates measured_host_rates(Context& context, const std::optional<HostRates>& link);

}  // namespace clgemm::tune
