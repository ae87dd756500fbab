// Tuning data as JSON text: one device a file, one line a row or an entry.
#pragma once

#include <string>
#include <string_view>

#include "choose/tuning.hpp"

namespace clgemm {

// The number that every file begins with. A file of another one is of no use to us.
inline constexpr int tuning_schema = 2;

// `path` is only for messages. Throws Error(invalid_argument) that says what is wrong with the text.
TuningFile parse_tuning(std::string_view text, const std::string& path);

// Rows and entries in the order of their configs and keys, so that equal data are equal bytes.
std::string write_tuning(const TuningFile& file);

}  // namespace clgemm
