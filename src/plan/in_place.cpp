#include "plan/in_place.hpp"

namespace clgemm {
namespace {

// Returns whether all lines of an operand, each of this length, can be read so many elements at a time.
bool lies_in(std::size_t elements, const Operand& operand, std::size_t length) {
  const auto fits = [&](std::size_t size) { return size % elements == 0; };
  return fits(operand.ld) && fits(operand.offset) && fits(operand.stride) && fits(operand.base_alignment) &&
         fits(length);
}

}  // namespace

bool fits_in_place(const Operand& operand, const KernelConfig& kernel, Shape shape, Shape tile) {
  if (kernel.reads_in_place()) return true;
  if (kernel.manifest().operands != padded_form) return false;
  const bool aligned = operand.ld % kernel.align == 0 && operand.offset % kernel.align == 0 &&
                       operand.base_alignment % kernel.align == 0;
  return !operand.transposed && aligned && operand.stride % kernel.align == 0 &&
         shape.rows % tile.rows == 0 && shape.columns % tile.columns == 0;
}

bool a_is_aligned(const Problem& problem, const KernelConfig& kernel) {
  const std::size_t tile_length = problem.a.transposed ? kernel.tile_rows : kernel.tile_depth;
  return a_lies_in(kernel.align, problem) && tile_length % kernel.align == 0;
}

bool b_is_aligned(const Problem& problem, const KernelConfig& kernel) {
  const std::size_t tile_length = problem.b.transposed ? kernel.tile_depth : kernel.tile_columns;
  return b_lies_in(kernel.align, problem) && tile_length % kernel.align == 0;
}

bool a_lies_in(std::size_t elements, const Problem& problem) {
  return lies_in(elements, problem.a, problem.a.transposed ? problem.m : problem.k);
}

bool b_lies_in(std::size_t elements, const Problem& problem) {
  return lies_in(elements, problem.b, problem.b.transposed ? problem.k : problem.n);
}

}  // namespace clgemm
