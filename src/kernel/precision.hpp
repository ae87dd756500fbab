// The precision that a kernel needs, and the precision that a caller allows.
#pragma once

#include <algorithm>
#include <array>
#include <clgemm/clgemm.hpp>
#include <string_view>

namespace clgemm {

struct NamedPrecision {
  Precision precision;
  std::string_view name;  // for manifests, command lines and reports
};

// The strictest comes first: a caller that allows one allows all before it.
inline constexpr std::array precisions = {NamedPrecision{Precision::fp32, "fp32"},
                                          NamedPrecision{Precision::fp32_equivalent, "fp32_equivalent"}};

namespace detail {

constexpr const NamedPrecision* entry_of(Precision precision) {
  return std::find_if(precisions.begin(), precisions.end(),
                      [&](const NamedPrecision& one) { return one.precision == precision; });
}

}  // namespace detail

// Returns whether a caller that allows the first may get a kernel that needs the second.
constexpr bool allows(Precision allowed, Precision needed) {
  return detail::entry_of(needed) <= detail::entry_of(allowed);
}

constexpr std::string_view to_string(Precision precision) {
  return detail::entry_of(precision)->name;
}

}  // namespace clgemm
