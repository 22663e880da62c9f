#pragma once

#include <span>
#include <string>
#include <string_view>

namespace a3sim {

// How many single-character insertions, deletions, replacements and swaps of neighbours turn one word into
// the other, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that `word` was probably meant to be;
// empty when none is near. Of equally near ones the first.
std::string_view closest(std::string_view word, std::span<const std::string> candidates);

// "; did you mean 'x'?" or, when nothing is near, "; known: a, b, c"; empty without candidates.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace a3sim
