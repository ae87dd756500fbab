// Splits text into pieces: lines of manifests, lists of devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm {

// Removes the blanks at both ends.
std::string_view trimmed(std::string_view text);

// Returns the parts between blanks.
std::vector<std::string> words_of(std::string_view text);

// Returns the parts between separators, trimmed. There is always one more part than separators.
std::vector<std::string_view> parts_of(std::string_view text, char separator);

// Returns whether the text has this word, with no letter, digit or '_' beside it.
bool has_word(std::string_view text, std::string_view word);

// Returns whether the text has a word with this beginning.
bool has_word_from(std::string_view text, std::string_view beginning);

// Returns nullopt if the text is not an integer of 64 bits from its first to its last character.
std::optional<std::int64_t> integer_of(std::string_view text);

// Returns whether the text can be the name of a macro of the OpenCL preprocessor.
bool is_identifier(std::string_view text);

}  // namespace clgemm
