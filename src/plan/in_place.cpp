#include "plan/in_place.hpp"

namespace clgemm {
namespace {

bool lies_in(std::size_t elements, const Operand& operand, std::size_t length) {
  const auto fits = [&](std::size_t size) { return size % elements == 0; };
  return fits(operand.ld) && fits(operand.offset) && fits(operand.stride) && fits(operand.base_alignment) &&
         fits(length);
}

// Returns whether tiles are multiples of the number of elements that an aligned kernel reads at once.
bool tiles_are_multiples(const KernelConfig& kernel) {
  const auto fits = [&](std::size_t size) { return size % kernel.align == 0; };
  return fits(kernel.tile_rows) && fits(kernel.tile_columns) && fits(kernel.tile_depth);
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
  return a_lies_in(kernel.align, problem) && tiles_are_multiples(kernel);
}

bool b_is_aligned(const Problem& problem, const KernelConfig& kernel) {
  return b_lies_in(kernel.align, problem) && tiles_are_multiples(kernel);
}

bool a_lies_in(std::size_t elements, const Problem& problem) {
  return lies_in(elements, problem.a, problem.a.transposed ? problem.m : problem.k);
}

bool b_lies_in(std::size_t elements, const Problem& problem) {
  return lies_in(elements, problem.b, problem.b.transposed ? problem.k : problem.n);
}

}  // namespace clgemm
