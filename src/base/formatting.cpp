// Compiles fmt once for all files. With an inline copy of fmt in each file, half of the compiler's time goes
// to fmt (eight files of the bench on two cores: 47 s of compiler time, 26 s with this file). If CMake leaves
// fmt in its headers (FMT_HEADER_ONLY), this file is empty.
#ifndef FMT_HEADER_ONLY
#include <fmt/format-inl.h>

// The templates that fmt's headers declare and that its library defines.
template auto fmt::detail::dragonbox::to_decimal(float) noexcept -> fmt::detail::dragonbox::decimal_fp<float>;
template auto fmt::detail::dragonbox::to_decimal(double) noexcept
    -> fmt::detail::dragonbox::decimal_fp<double>;
template auto fmt::detail::thousands_sep_impl(fmt::detail::locale_ref)
    -> fmt::detail::thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(fmt::detail::locale_ref) -> char;
template std::locale fmt::detail::locale_ref::get() const;
#endif
