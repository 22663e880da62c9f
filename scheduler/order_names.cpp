#include "scheduler/order_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace a3sim {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Insertions, deletions and replacements that turn one name into the other; upper and lower case are the
// same.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string suggest(std::string_view name, std::span<const std::string> known) {
  const auto closest =
      std::ranges::min_element(known, {}, [&](const std::string& k) { return edits(name, k); });
  // One slip in three letters is a typo; more is another word.
  if (closest != known.end() && edits(name, *closest) <= std::max<std::size_t>(1, name.size() / 3)) {
    return fmt::format("; did you mean '{}'?", *closest);
  }
  return fmt::format("; known: {}", fmt::join(known, ", "));
}

}  // namespace a3sim
