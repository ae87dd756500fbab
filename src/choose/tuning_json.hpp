// Reads and writes tuning data as JSON: one device a file, one row or entry a line.
#pragma once

#include <string>
#include <string_view>

#include "choose/tuning.hpp"

namespace clgemm {

// The version of the format, with which every file begins. Files of other versions are not used.
inline constexpr int tuning_schema = 2;

// `path` is only for messages. Throws an Error(invalid_argument) that says what is wrong with the text.
TuningFile parse_tuning(std::string_view text, const std::string& path);

// Writes rows and entries in the order of their configs and keys, so that equal data give equal bytes.
std::string write_tuning(const TuningFile& file);

}  // namespace clgemm
