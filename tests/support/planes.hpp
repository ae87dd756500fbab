// Common parts of the tests of all forms of planes: a packing kernel alone, and GEMMs with a number that
// planes cannot hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm_case.hpp"
#include "kernel/manifest.hpp"

namespace clgemm::test {

std::uint32_t bits_of(float value);
float float_of(std::uint32_t bits);

// op(X), the source of the packing. A line is a row of the packed copy.
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

// Packs the source as A and as B, and checks that both copies are equal. `parameters` are the kernel's.
PackedWords pack_both(const std::string& kernel, const PackingSource& source,
                      const Parameters& parameters = {});

// Numbers for the last element of A and of B. 0 keeps the old element.
struct Special {
  float a, b;
};
Data with_special(const GemmCase& gemm, const Special& special);

// Returns true if all of C is this number.
bool all_are(const GemmCase& gemm, const std::vector<float>& c, float value);

// Counts the elements for which only one of the results is NaN, Inf or finite.
int different_kinds(const std::vector<float>& c, const std::vector<float>& expected);

// The first function returns the text of a kernel in tests/data/kernels. The second one returns a text with a
// part of it replaced. The part must exist.
std::string kernel_text(const std::string& file);
std::string replaced(std::string text, const std::string& part, const std::string& other);

}  // namespace clgemm::test
