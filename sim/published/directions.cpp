#include "sim/published/directions.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

std::optional<double> latency_of_case(const std::vector<Comparison>& comparisons,
                                      const nlohmann::ordered_json& coordinates) {
  const auto found = std::ranges::find_if(comparisons, [&](const Comparison& one) {
    return one.point.variant.empty() && one.point.metric == "latency" &&
           same_coordinates(one.point.coordinates, coordinates);
  });
  return found == comparisons.end() ? std::nullopt : std::optional(found->point.value);
}

// Returns 1 plus the number of verdicts with a larger ratio.
template <class Ratio>
std::size_t place_of(const DirectionVerdict& one, const std::vector<DirectionVerdict>& all, Ratio ratio) {
  return 1 + static_cast<std::size_t>(std::ranges::count_if(
                 all, [&](const DirectionVerdict& other) { return ratio(other) > ratio(one); }));
}

}  // namespace

std::vector<DirectionVerdict> direction_verdicts(const PublishedTable& table,
                                                 const std::vector<Comparison>& comparisons) {
  std::vector<DirectionVerdict> verdicts;
  for (const PublishedDirection& direction : table.directions) {
    const std::optional<double> faster = latency_of_case(comparisons, direction.faster),
                                slower = latency_of_case(comparisons, direction.than);
    if (faster && slower && *faster > 0) verdicts.push_back({&direction, *slower / *faster});
  }
  for (DirectionVerdict& verdict : verdicts) {
    verdict.published_place =
        place_of(verdict, verdicts, [](const DirectionVerdict& one) { return one.direction->published; });
    verdict.predicted_place =
        place_of(verdict, verdicts, [](const DirectionVerdict& one) { return one.predicted; });
  }
  return verdicts;
}

std::string directions_text(const PublishedTable& table, const std::vector<Comparison>& comparisons) {
  const std::vector<DirectionVerdict> verdicts = direction_verdicts(table, comparisons);
  if (verdicts.empty()) return {};
  Table rows({Column::words("published direction"), Column::number("published x", "published", 2),
              Column::number("here x", "predicted", 2), Column::words("places"), Column::words("sign"),
              Column::words("source")});
  std::string reasons;
  for (const DirectionVerdict& verdict : verdicts) {
    const PublishedDirection& direction = *verdict.direction;
    rows.add({direction.what, direction.published, verdict.predicted,
              fmt::format("{}, here {}", verdict.published_place, verdict.predicted_place),
              std::string(verdict.holds() ? "holds" : "does not hold"), direction.source});
    const bool agrees = verdict.holds() && verdict.published_place == verdict.predicted_place;
    if (!agrees && !direction.if_not.empty())
      reasons += fmt::format("Why not: {}: {}\n", direction.what, direction.if_not);
  }
  return fmt::format(
      "Published directions. They are of GPUs: only the side of 1 and the place among them are compared.\n"
      "{}{}",
      rows.text(), reasons);
}

}  // namespace a3sim
