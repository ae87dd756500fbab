// Inputs for the models and the device, made from a number and the same on every machine. They are tiles of
// all kinds of numbers, and the numbers that lose the most on tensor cores.
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

// Makes tile `index`: 16 x 16 results, a family of numbers and a k.
Tile make_tile(std::size_t index);

// A single instruction of Hopper's tensor cores (PTX: mma.sync.m16n8). It multiplies 16 x `depth` numbers of
// a format by 8 x `depth`, and adds the products to 16 x 8 sums.
struct Instruction {
  const char* format;  // its name in PTX
  TensorCore core;
  int least_exponent;    // of normal numbers
  int significant_bits;  // in each number
  std::size_t depth;
};
inline constexpr Instruction instructions[] = {{"f16", hopper_16_bit, least_of_fp16, 11, 16},
                                               {"bf16", hopper_16_bit, least_of_bf16, 8, 16},
                                               {"tf32", hopper_tf32, least_of_tf32, 11, 8}};

std::string title_of(const Instruction& instruction);

// Makes a tile of numbers in the instruction's format, and the sums that it adds to.
Tile make_tile(const Instruction& instruction, std::size_t index);
std::vector<float> model_of(const Instruction& instruction, const TileCall& call);

// Returns the results of an fp16 instruction of AMD's CDNA 3.
std::vector<float> model_on_cdna3(const TileCall& call);

// Returns a hash of the bits of a tile's results. All NaN are equal.
std::uint64_t word_of(const std::vector<float>& results);

// Makes the vectors that lose the most by cutting off: A's rows are 1, s, s, ..., B's columns are 1, t, t,
// .... Each product s t is just below what an aligned addition keeps beside 1.
TileCall worst_case(std::size_t rows, std::size_t columns, std::size_t k);

// Makes the same with the tiniest numbers that fp16 planes take, for which tensor cores align products by the
// exponent of denormal numbers. For k = 256, 1024 and 4096.
TileCall worst_tiny_case(std::size_t rows, std::size_t columns, std::size_t k);

// Makes lines of ones with one tiny number each, at each of 16 depths, in A's rows or in B's columns. The
// lines of the other operand each pick one depth. So one result needs the tiny number, and it is not that of
// the work-item that holds the number in tensor cores' layout.
TileCall alone_tiny_case(bool in_a);

// Random numbers that are the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  float uniform();                     // in [-1, 1), with 24 bits
  std::size_t below(std::size_t end);  // from 0 to end - 1
  float sign() { return bits() & 1 ? -1.0f : 1.0f; }

 private:
  std::uint64_t state_;
};

}  // namespace clgemm::test
