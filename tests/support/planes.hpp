// What tests of the forms of planes share: a packing kernel by itself, and multiplies with a number that
// planes cannot hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "multiply.hpp"

namespace clgemm::test {

std::uint32_t bits_of(float value);
float float_of(std::uint32_t bits);

// op(X) as it is to be packed: a line is a row of the packed copy.
struct PackingSource {
  int lines, depth;
  bool along_k;  // neighbours in memory are neighbours along k
  std::size_t ld, offset;
  std::vector<float> memory;

  std::size_t index(int line, int deep) const;
  float at(int line, int deep) const;  // zero beyond the matrix
};

PackingSource make_source(int lines, int depth, bool along_k, std::size_t gap, std::size_t offset);

// A packed copy, padded to 64 lines and 32 of k, and the largest of each of two notes.
struct PackedWords {
  int lines, depth;
  std::vector<float> words;
  std::uint32_t notes[2];

  std::uint16_t half_word(std::size_t index) const;
};

// Packs the source as A and as B, which must come out alike.
PackedWords pack_both(const std::string& kernel, const PackingSource& source);

// Numbers for the last place of A and of B; 0 leaves what is there.
struct Special {
  float a, b;
};
Data with_special(const Multiply& multiply, const Special& special);

// Whether all of C is this number.
bool all_are(const Multiply& multiply, const std::vector<float>& c, float value);

// How many elements are NaN, Inf or finite where the other result has something else.
int different_kinds(const std::vector<float>& c, const std::vector<float>& expected);

// The text of a kernel of tests/data/kernels, and a text with a part of it, which must be there, in other
// words.
std::string kernel_text(const std::string& file);
std::string replaced(std::string text, const std::string& part, const std::string& other);

}  // namespace clgemm::test
