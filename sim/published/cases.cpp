#include "sim/published/cases.h"

namespace a3sim {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

const std::vector<PublishedMetric>& metrics_of(const PublishedTable& table, const PublishedCase& one) {
  return one.metrics.empty() ? table.metrics : one.metrics;
}

bool is_wanted(const PublishedCase& one, const Scenario& scenario, const CaseSelection& wanted) {
  if (!one.variant.empty()) {
    const auto open = [&](const std::string& override) { return scenario.leaves_open(override); };
    if (!wanted.variants || !std::ranges::all_of(one.overrides, open)) return false;
  }
  return !wanted.cases || std::ranges::any_of(*wanted.cases, [&](Json coordinates) {
    coordinates.erase("pass");
    return same_coordinates(coordinates, one.coordinates);
  });
}

Json coordinates_of(const PublishedTable& table, const PublishedCase& one, const std::string& pass) {
  Json coordinates = Json::object();
  for (const std::string& column : table.columns) {
    if (column == "pass") coordinates[column] = pass;
    if (one.coordinates.contains(column)) coordinates[column] = one.coordinates[column];
  }
  return coordinates;
}

PublishedCase over_of(const PublishedTable& table, const PublishedCase& one) {
  PublishedCase over = one;
  if (!one.over->experiment.empty()) over.experiment = one.over->experiment;
  over.overrides = one.over->overrides;
  over.metrics = metrics_of(table, one);
  return over;
}

}  // namespace a3sim
