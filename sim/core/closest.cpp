#include "sim/core/closest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace a3sim {
namespace {

// No key is longer than this. The limit keeps hostile input from costing its length squared.
constexpr std::size_t kLongestWord = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the optimal string alignment. The row before the last one is kept for swaps of neighbours.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string_view closest(std::string_view word, std::span<const std::string> candidates) {
  std::string_view best;
  if (word.size() > kLongestWord) return best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(word, candidate);
    // A candidate is not similar if nothing of the word would be left.
    if (distance < std::min({least, word.size(), candidate.size()})) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  if (candidates.empty()) return "";
  if (const std::string_view near = closest(word, candidates); !near.empty()) {
    return fmt::format("; did you mean '{}'?", near);
  }
  return fmt::format("; known: {}", fmt::join(candidates, ", "));
}

}  // namespace a3sim
