#include "running/rotation.hpp"

#include <algorithm>

namespace clgemm::bench {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

// Some devices report no cache, or only the nearest one.
constexpr std::size_t least_bytes = 256 * mebibyte;

// Buffers are not free, because a driver keeps records of each.
constexpr std::size_t most_copies = 4096;

}  // namespace

std::size_t beyond_caches(const cl::Device& device) {
  const std::size_t cache = device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
  return std::max(2 * cache, least_bytes);
}

Rotation rotation_for(const cl::Device& device, const SgemmCall& call) {
  const Extents extents = check_call(call);
  const std::size_t each = sizeof(float) * (extents.a + extents.b + extents.c);
  const std::size_t wanted = beyond_caches(device) / each + 1;
  const std::size_t affordable = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>() / 4 / each;
  const std::size_t copies = std::clamp<std::size_t>(std::min(wanted, affordable), 2, most_copies);
  return {copies, copies * each};
}

}  // namespace clgemm::bench
