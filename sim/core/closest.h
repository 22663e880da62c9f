#pragma once

#include <span>
#include <string>
#include <string_view>

namespace a3sim {

// Returns the number of single-character insertions, deletions, replacements and swaps of neighbours that
// turn one word into the other, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the candidate that `word` was probably meant to be, or an empty string if none is similar. The
// first of equally similar ones wins.
std::string_view closest(std::string_view word, std::span<const std::string> candidates);

// Returns "; did you mean 'x'?", or "; known: a, b, c" if none is similar, or an empty string without
// candidates.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace a3sim
