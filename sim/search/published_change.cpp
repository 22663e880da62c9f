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
  std::string what, table;
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
                       read_coordinates(change.map("before")), read_coordinates(change.map("after"))});
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
  std::string what;
  Coordinates before, after;
  double far = std::numeric_limits<double>::infinity();
};

constexpr const char* kLatency = "latency";

std::optional<PublishedPair> nearest_pair(const Experiment& experiment) {
  const std::string workload = workload_of(experiment);
  const std::string pass = experiment.passes.size() == 1 ? experiment.passes.front().name : "total";
  std::optional<PublishedPair> nearest;
  for (const ChangeEntry& entry : read_changes()) {
    if (std::ranges::count(entry.workloads, workload) == 0) continue;
    const PublishedTable table = read_published_table(configs_folder(), entry.table);
    for (const Reference& after : table.references) {
      if (after.metric != kLatency || !has_all(after.coordinates, entry.after)) continue;
      if (after.coordinates.contains("pass") && after.coordinates["pass"] != pass) continue;
      const Coordinates before = with(after.coordinates, entry.before);
      if (find_reference(table.references, before, kLatency) == nullptr) continue;
      const double far = distance(table, after.coordinates, experiment);
      if (nearest && nearest->far <= far) continue;
      nearest = PublishedPair{table, entry.what, before, after.coordinates, far};
    }
  }
  return nearest;
}

// Returns the predicted latency of a case, or nullopt if the table predicts none.
std::optional<double> latency_of(const Predictions& predictions, const Coordinates& coordinates) {
  for (const Point& point : predictions.points) {
    if (point.metric == kLatency && point.variant.empty() && same_coordinates(point.coordinates, coordinates))
      return point.value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<PublishedChange> nearest_published_change(const Experiment& experiment, unsigned threads) {
  const std::optional<PublishedPair> pair = nearest_pair(experiment);
  if (!pair) return std::nullopt;
  Scenario scenario;
  scenario.threads = threads;
  CaseSelection wanted;
  wanted.variants = false;
  wanted.cases = {without_pass(pair->before), without_pass(pair->after)};
  const Predictions predictions = predict(pair->table, scenario, wanted);
  const auto before = latency_of(predictions, pair->before), after = latency_of(predictions, pair->after);
  if (!before || !after) return std::nullopt;
  const std::vector<Reference>& published = pair->table.references;
  PublishedChange change{pair->what, text_of_all(pair->after)};
  change.published = 1 - find_reference(published, pair->after, kLatency)->value /
                             find_reference(published, pair->before, kLatency)->value;
  change.predicted = 1 - *after / *before;
  return change;
}

}  // namespace a3sim
