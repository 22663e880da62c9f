#include "sim/published/method_signs.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

const Comparison* latency_of(const std::vector<Comparison>& comparisons,
                             const nlohmann::ordered_json& coordinates) {
  const auto found = std::ranges::find_if(comparisons, [&](const Comparison& one) {
    return one.reference && one.point.variant.empty() && one.point.metric == "latency" &&
           same_coordinates(one.point.coordinates, coordinates);
  });
  return found == comparisons.end() ? nullptr : &*found;
}

}  // namespace

std::string signs_text(const PublishedTable& table, const std::vector<Comparison>& comparisons) {
  const PublishedSigns& signs = table.signs;
  std::size_t all = 0;
  std::vector<std::string> wrong;
  for (const Comparison& one : comparisons) {
    const nlohmann::ordered_json& coordinates = one.point.coordinates;
    if (!coordinates.contains(signs.key) || !latency_of({one}, coordinates)) continue;
    if (std::ranges::find(signs.values, text_of(coordinates[signs.key])) == signs.values.end()) continue;
    nlohmann::ordered_json reference = coordinates;
    reference[signs.key] = signs.reference;
    const Comparison* const other = latency_of(comparisons, reference);
    if (!other) continue;
    ++all;
    const bool faster = one.point.value < other->point.value;
    if (faster != (one.reference->value < other->reference->value)) wrong.push_back(text_of_all(coordinates));
  }
  if (all == 0) return {};
  return fmt::format("Faster or slower than '{}' as published in {} of {} cases{}{}.\n", signs.reference,
                     all - wrong.size(), all, wrong.empty() ? "" : "; not: ", fmt::join(wrong, "; "));
}

}  // namespace a3sim
