#include "sim/search/published_change.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/published/evaluation.h"
#include "sim/search/space.h"

namespace a3sim {
namespace {

using Coordinates = nlohmann::ordered_json;

// An entry of configs/reference/changes.yaml: what differs between the cases of a table before and after a change.
struct ChangeEntry {
  std::vector<std::string> workloads;
  std::string what, table, metric;
  Coordinates before, after;
};

Coordinates read_coordinates(const Config& config) {
  Coordinates coordinates;
  for (const std::string& key : config.names()) coordinates[key] = coordinate_of(config.text(key));
  config.finish();
  return coordinates;
}

std::vector<ChangeEntry> read_changes() {
  Diagnostics diagnostics;
  const Config root = Config::load(configs_folder() / "reference" / "changes.yaml", {}, diagnostics);
  std::vector<ChangeEntry> entries;
  for (const Config& change : root.maps("changes")) {
    entries.push_back({change.texts("workloads"), change.text("what"), change.text("table"),
                       change.text("metric", "latency"), read_coordinates(change.map("before")),
                       read_coordinates(change.map("after"))});
    change.finish();
  }
  root.finish();
  diagnostics.throw_if_any();
  return entries;
}

bool has_all(const Coordinates& coordinates, const Coordinates& some) {
  return std::ranges::all_of(some.items(), [&](const auto& item) {
    return coordinates.contains(item.key()) && coordinates[item.key()] == item.value();
  });
}

Coordinates with(Coordinates coordinates, const Coordinates& other) {
  for (const auto& [key, value] : other.items()) coordinates[key] = value;
  return coordinates;
}

Coordinates without_pass(Coordinates coordinates) {
  coordinates.erase("pass");
  return coordinates;
}

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number <= 0) return std::nullopt;
  return number;
}

// Returns how far a case is from the experiment: the sum of the logarithms of ratios of all numbers that the case sets.
double distance(const PublishedTable& table, const Coordinates& coordinates, const Experiment& experiment) {
  double sum = 0;
  for (const PublishedCase& one : table.cases) {
    if (!one.variant.empty() || !same_coordinates(one.coordinates, without_pass(coordinates))) continue;
    for (const std::string& override : one.overrides) {
      const std::size_t equals = override.find('=');
      const auto is_key = [&](const auto& value) { return value.first == override.substr(0, equals); };
      const auto own = std::ranges::find_if(experiment.values, is_key);
      if (own == experiment.values.end()) continue;
      const std::optional<double> theirs = number_of(override.substr(equals + 1)),
                                  ours = number_of(own->second);
      if (theirs && ours) sum += std::abs(std::log(*theirs / *ours));
    }
  }
  return sum;
}

// A case before and after a change, both of which were published.
struct PublishedPair {
  PublishedTable table;
  std::string what, metric;
  Coordinates before, after;
  double far = std::numeric_limits<double>::infinity();
};

std::vector<PublishedPair> pairs_of(const std::string& workload) {
  std::vector<PublishedPair> pairs;
  for (const ChangeEntry& entry : read_changes()) {
    if (std::ranges::count(entry.workloads, workload) == 0) continue;
    const PublishedTable table = read_published_table(configs_folder(), entry.table);
    for (const Reference& after : table.references) {
      if (after.metric != entry.metric || !has_all(after.coordinates, entry.after)) continue;
      const Coordinates before = with(after.coordinates, entry.before);
      if (find_reference(table.references, before, entry.metric) == nullptr) continue;
      pairs.push_back({table, entry.what, entry.metric, before, after.coordinates});
    }
  }
  return pairs;
}

std::optional<PublishedPair> nearest_pair(const Experiment& experiment) {
  const std::string pass = experiment.passes.size() == 1 ? experiment.passes.front().name : "total";
  std::optional<PublishedPair> nearest;
  for (PublishedPair& pair : pairs_of(workload_of(experiment))) {
    if (pair.after.contains("pass") && pair.after["pass"] != pass) continue;
    pair.far = distance(pair.table, pair.after, experiment);
    if (!nearest || pair.far < nearest->far) nearest = std::move(pair);
  }
  return nearest;
}

// Returns the predicted time of a case, or nullopt if the table predicts none.
std::optional<double> time_of(const Predictions& predictions, const Coordinates& coordinates,
                              const std::string& metric) {
  for (const Point& point : predictions.points) {
    if (point.metric == metric && point.variant.empty() && same_coordinates(point.coordinates, coordinates))
      return point.value;
  }
  return std::nullopt;
}

std::optional<PublishedChange> change_of(const PublishedPair& pair, unsigned threads) {
  Scenario scenario;
  scenario.threads = threads;
  CaseSelection wanted;
  wanted.variants = false;
  wanted.cases = {without_pass(pair.before), without_pass(pair.after)};
  const Predictions predictions = predict(pair.table, scenario, wanted);
  const auto before = time_of(predictions, pair.before, pair.metric),
             after = time_of(predictions, pair.after, pair.metric);
  if (!before || !after) return std::nullopt;
  const std::vector<Reference>& published = pair.table.references;
  PublishedChange change{pair.what, text_of_all(pair.after)};
  change.published = 1 - find_reference(published, pair.after, pair.metric)->value /
                             find_reference(published, pair.before, pair.metric)->value;
  change.predicted = 1 - *after / *before;
  return change;
}

}  // namespace

std::optional<PublishedChange> nearest_published_change(const Experiment& experiment, unsigned threads) {
  const std::optional<PublishedPair> pair = nearest_pair(experiment);
  return pair ? change_of(*pair, threads) : std::nullopt;
}

}  // namespace a3sim
