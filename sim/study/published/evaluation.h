#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/registry.h"
#include "sim/study/published/published_table.h"
#include "sim/study/published/scenario.h"
#include "traces/report/table.h"

namespace a3sim {

// A predicted value. What was published about it is added by sim/study/published/comparison.h.
struct Point {
  // What tells it from the table's other points, as columns in this order: {"m": 4096, "dtype": "bf16"}.
  nlohmann::ordered_json coordinates;
  std::string metric, unit;                     // sim/study/metrics/metric_unit.h
  double value = 0;                             // in `unit`
  std::string hardware;                         // Hardware::name of what it was predicted for
  std::string variant{};                        // what differs from the default; empty for the default
  Duration bound{};                             // the largest lower bound of its latency; 0: not known
  std::vector<std::pair<Column, Cell>> more{};  // further columns of its row
  std::optional<double> formula{};              // what simplest_formula.h makes of it; none: nothing
  bool at_most = false;                         // a bound: what was published may be less
};

// How much of a table is needed.
struct Wanted {
  bool variants = true;
  std::optional<std::vector<nlohmann::ordered_json>> cases{};  // by their coordinates; none: all

  // Whether a case is needed. An evaluation that runs it all the same is only slower.
  bool has(const nlohmann::ordered_json& coordinates) const {
    return !cases || std::ranges::any_of(*cases, [&](const nlohmann::ordered_json& one) {
      return same_coordinates(one, coordinates);
    });
  }
};

struct Predictions {
  std::string heading;  // the table's, with what follows from the runs
  std::vector<Point> points;
};

// A way to predict what a table asks for; one file each, registered by name. `runs` (runs.cpp), which runs an
// experiment for each of the table's cases and reads its metrics, serves most tables.
struct Evaluation {
  static constexpr std::string_view kKind = "evaluation";
  // Configurations are read through the scenario, so that its values reach all of them. May be called by many
  // threads at once. No two points agree in coordinates, metric and variant.
  Predictions (*run)(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted);
};

using Evaluations = Registry<Evaluation>;

// Evaluates the table in its own way.
inline Predictions predict(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted = {}) {
  return Evaluations::get(table.evaluation).run(table, scenario, wanted);
}

}  // namespace a3sim
