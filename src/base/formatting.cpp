// fmt, compiled once for all files: left to each file's own inline copies, it is half of the compiler's time
// (of eight files of the bench on two cores: 47 s of the compiler, and 26 s without). Where CMake leaves fmt
// in its headers (FMT_HEADER_ONLY), this file is empty.
#ifndef FMT_HEADER_ONLY
#include <fmt/format-inl.h>

// The templates that fmt's headers declare and leave to its library.
template auto fmt::detail::dragonbox::to_decimal(float) noexcept -> fmt::detail::dragonbox::decimal_fp<float>;
template auto fmt::detail::dragonbox::to_decimal(double) noexcept
    -> fmt::detail::dragonbox::decimal_fp<double>;
template auto fmt::detail::thousands_sep_impl(fmt::detail::locale_ref)
    -> fmt::detail::thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(fmt::detail::locale_ref) -> char;
template std::locale fmt::detail::locale_ref::get() const;
#endif
