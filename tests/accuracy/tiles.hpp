// Inputs for the models and the device, made from a number and the same everywhere: tiles of all kinds of
// numbers, and the numbers for which tensor cores lose the most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "accuracy/split_kernels.hpp"

namespace clgemm::test {

inline constexpr std::size_t tile_count = 320;

struct Tile {
  std::string family;
  TileCall call;
};

// Tile `index` of them: 16 x 16 results, a family of numbers and a k.
Tile make_tile(std::size_t index);

// What a single instruction of Hopper's tensor cores multiplies (PTX: mma.sync.m16n8): 16 x `depth` numbers
// of a format with 8 x `depth`, and adds to 16 x 8 sums.
struct Instruction {
  const char* format;  // in PTX
  TensorCore core;
  int least_exponent;    // of a normal number
  int significant_bits;  // of a number
  std::size_t depth;
};
inline constexpr Instruction instructions[] = {{"f16", hopper_16_bit, least_of_fp16, 11, 16},
                                               {"bf16", hopper_16_bit, least_of_bf16, 8, 16},
                                               {"tf32", hopper_tf32, least_of_tf32, 11, 8}};

std::string title_of(const Instruction& instruction);

// Numbers of the instruction's format for a tile of it, and sums that it adds to.
Tile make_tile(const Instruction& instruction, std::size_t index);
std::vector<float> model_of(const Instruction& instruction, const TileCall& call);

// A word for the bits of a tile's results. All NaN are one.
std::uint64_t word_of(const std::vector<float>& results);

// The vectors that lose the most by cutting off: A's rows 1, s, s, ..., B's columns 1, t, t, ..., each
// product s t just below what an aligned addition keeps beside 1.
TileCall worst_case(std::size_t rows, std::size_t columns, std::size_t k);

// The same with numbers that are as tiny as fp16 planes take them, where tensor cores align products by the
// exponent of denormal numbers; for k = 256, 1024 and 4096.
TileCall worst_tiny_case(std::size_t rows, std::size_t columns, std::size_t k);

// Random numbers that are the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  float uniform();                     // in [-1, 1), of 24 bits
  std::size_t below(std::size_t end);  // from 0 on
  float sign() { return bits() & 1 ? -1.0f : 1.0f; }

 private:
  std::uint64_t state_;
};

}  // namespace clgemm::test
