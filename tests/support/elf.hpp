// Machine code for NVIDIA's GPUs, which is an ELF file (a cubin).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace clgemm::test {

inline constexpr std::string_view elf_mark =
    "\x7f"
    "ELF";

// Returns whether this is a whole ELF file for NVIDIA's GPUs (machine 190), of the architecture sm_90. The
// headers of its segments come last.
inline bool is_cubin_for_hopper(std::string_view program) {
  constexpr std::size_t machine = 18, segments = 32, flags = 48, segment_bytes = 54, segment_count = 56;
  if (program.size() < 64 || !program.starts_with(elf_mark)) return false;
  const auto number_at = [program](std::size_t place, std::size_t bytes) {
    std::uint64_t result = 0;  // little-endian
    std::memcpy(&result, program.data() + place, bytes);
    return result;
  };
  return number_at(machine, 2) == 190 && number_at(flags, 1) == 90 &&
         number_at(segments, 8) + number_at(segment_bytes, 2) * number_at(segment_count, 2) == program.size();
}

}  // namespace clgemm::test
