// Tuning data as JSON text: one device a file, one line an entry.
#pragma once

#include <string>
#include <string_view>

#include "choose/tuning.hpp"

namespace clgemm {

// The number that every file begins with. A file of another one is of no use to us.
inline constexpr int tuning_schema = 1;

// `path` is only for messages. Throws Error(invalid_argument) that says what is wrong with the text.
TuningFile parse_tuning(std::string_view text, const std::string& path);

// Entries in the order of their keys, so that equal data are equal bytes.
std::string write_tuning(const TuningFile& file);

}  // namespace clgemm
