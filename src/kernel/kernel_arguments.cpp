#include "kernel/kernel_arguments.hpp"

#include <array>

namespace clgemm {
namespace {

using V = ArgumentValues;

// By role or key of the manifest.
namespace argument_lists {

// clang-format off
constexpr KernelArgument gemm[] = {
    {"m", &V::m}, {"n", &V::n}, {"k", &V::k}, {"alpha", &V::alpha},
    {"a", &V::a}, {"a_offset", &V::a_offset}, {"lda", &V::lda}, {"a_stride", &V::a_stride},
    {"b", &V::b}, {"b_offset", &V::b_offset}, {"ldb", &V::ldb}, {"b_stride", &V::b_stride}, {"beta", &V::beta},
    {"c", &V::c}, {"c_offset", &V::c_offset}, {"ldc", &V::ldc}, {"c_stride", &V::c_stride}};

// These follow those of `gemm`.
constexpr KernelArgument batch[] = {{"batch_count", &V::batch_count}, {"products", &V::products}};
constexpr KernelArgument parts[] = {
    {"part_depth", &V::part_depth}, {"parts_memory", &V::parts_memory}, {"parts_offset", &V::parts_offset},
    {"parts_ld", &V::parts_ld}, {"parts_stride", &V::parts_stride}, {"arrivals", &V::arrivals}};
constexpr KernelArgument notes[] = {
    {"notes", &V::notes}, {"notes_offset", &V::notes_offset}, {"a_notes", &V::a_notes}, {"b_notes", &V::b_notes},
    {"before", &V::before}};
constexpr KernelArgument packed[] = {
    {"packed", &V::packed}, {"packed_offset", &V::packed_offset}, {"packed_stride", &V::packed_stride},
    {"packed_along_k", &V::packed_along_k}};
constexpr KernelArgument notes_of_fallback[] = {{"notes", &V::notes}, {"before", &V::before}};

constexpr KernelArgument pack[] = {
    {"rows", &V::m}, {"columns", &V::n},
    {"source", &V::a}, {"source_offset", &V::a_offset}, {"source_ld", &V::lda}, {"source_stride", &V::a_stride},
    {"packed_rows", &V::packed_m}, {"packed_columns", &V::packed_n},
    {"packed", &V::c}, {"packed_offset", &V::c_offset}, {"packed_ld", &V::ldc}, {"packed_stride", &V::c_stride}};

constexpr KernelArgument pack_both[] = {
    {"depth", &V::k}, {"packed_depth", &V::packed_k}, {"packed", &V::packed},
    {"a_groups", &V::a_notes}, {"a_lines", &V::m}, {"packed_a_lines", &V::packed_m},
    {"a", &V::a}, {"a_offset", &V::a_offset}, {"lda", &V::lda}, {"a_stride", &V::a_stride},
    {"a_along_k", &V::a_along_k}, {"packed_a_offset", &V::packed_a_offset}, {"packed_a_stride", &V::packed_a_stride},
    {"b_groups", &V::b_notes}, {"b_lines", &V::n}, {"packed_b_lines", &V::packed_n},
    {"b", &V::b}, {"b_offset", &V::b_offset}, {"ldb", &V::ldb}, {"b_stride", &V::b_stride},
    {"b_along_k", &V::b_along_k}, {"packed_b_offset", &V::packed_b_offset}, {"packed_b_stride", &V::packed_b_stride},
    {"notes", &V::notes}, {"notes_offset", &V::notes_offset}, {"before", &V::before}};

constexpr KernelArgument scale[] = {
    {"m", &V::m}, {"n", &V::n}, {"beta", &V::beta},
    {"c", &V::c}, {"c_offset", &V::c_offset}, {"ldc", &V::ldc}, {"c_stride", &V::c_stride}};

constexpr KernelArgument reduce[] = {
    {"m", &V::m}, {"n", &V::n}, {"parts", &V::parts_count}, {"alpha", &V::alpha},
    {"source", &V::parts_memory}, {"source_offset", &V::parts_offset}, {"source_ld", &V::parts_ld},
    {"source_stride", &V::parts_stride}, {"beta", &V::beta},
    {"c", &V::c}, {"c_offset", &V::c_offset}, {"ldc", &V::ldc}};
// clang-format on

}  // namespace argument_lists

std::span<const KernelArgument> arguments_of(Role role) {
  switch (role) {
    case Role::gemm:
    case Role::fallback:
      return argument_lists::gemm;
    case Role::pack:
      return argument_lists::pack;
    case Role::pack_both:
      return argument_lists::pack_both;
    case Role::scale:
      return argument_lists::scale;
    case Role::reduce:
      return argument_lists::reduce;
  }
  return {};
}

}  // namespace

const char* KernelArgument::type() const {
  // In the order of the variant.
  constexpr std::array names = {"int", "ulong", "float", "__global pointer"};
  return names.at(value.index());
}

std::array<std::span<const KernelArgument>, 5> arguments_of(const Manifest& manifest) {
  using Group = std::span<const KernelArgument>;
  const Group of_fallback =
      manifest.role == Role::fallback ? Group(argument_lists::notes_of_fallback) : Group();
  return {arguments_of(manifest.role), manifest.takes_lists() ? Group(argument_lists::batch) : Group(),
          manifest.takes_slices() ? Group(argument_lists::parts) : Group(),
          manifest.fallback.empty() ? of_fallback : Group(argument_lists::notes),
          manifest.keeps_one() ? Group(argument_lists::packed) : Group()};
}

std::size_t number_of_arguments(const Manifest& manifest, Passing passing) {
  std::size_t number = passing == Passing::as_struct ? 1U : 0U;
  for (const auto& group : arguments_of(manifest)) {
    for (const KernelArgument& argument : group)
      number += passing == Passing::one_by_one || !argument.is_number() ? 1U : 0U;
  }
  return number;
}

}  // namespace clgemm
