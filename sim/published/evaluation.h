#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/registry.h"
#include "sim/published/published_table.h"
#include "sim/published/scenario.h"
#include "sim/published/table_file.h"
#include "traces/report/table.h"

namespace a3sim {

// A predicted value. comparison.h adds what was published about it.
struct Point {
  // The columns that identify the point in its table, in this order: {"m": 4096, "dtype": "bf16"}.
  nlohmann::ordered_json coordinates;
  std::string metric, unit;                     // sim/result/metrics/metric_unit.h
  double value = 0;                             // in `unit`
  std::string hardware;                         // Hardware::name of the predicted machine
  std::string variant{};                        // what differs from the default; empty for the default
  Duration bound{};                             // largest lower bound of its latency; 0: unknown
  std::vector<std::pair<Column, Cell>> more{};  // further columns of its row
  std::optional<double> formula{};              // value by simplest_formula.h; nullopt: none
};

// Called with points as soon as they are known: one call at a time, in no fixed order, from any thread. Points that compare
// cases come with the result alone.
using PointsSink = std::function<void(std::vector<Point>)>;

// The part of a table that is to be predicted.
struct CaseSelection {
  bool variants = true;
  // Coordinates of cases; those without a pass stand for all of its passes. nullopt: all cases.
  std::optional<std::vector<nlohmann::ordered_json>> cases{};
  PointsSink seen{};  // evaluations that take long call it

  // True if a case is wanted. An evaluation may run other cases too; it is only slower.
  bool has(const nlohmann::ordered_json& coordinates) const {
    return !cases || std::ranges::any_of(*cases, [&](const nlohmann::ordered_json& one) {
      if (one.contains("pass") || !coordinates.contains("pass")) return same_coordinates(one, coordinates);
      nlohmann::ordered_json without = coordinates;
      without.erase("pass");
      return same_coordinates(one, without);
    });
  }
};

struct Predictions {
  std::string heading;  // the table's, with what follows from the runs
  std::vector<Point> points;
};

// A way to predict what a table asks for; one file each, registered by name. Most tables use `runs`
// (runs.cpp), which runs an experiment for each case and reads its metrics.
struct Evaluation {
  static constexpr std::string_view kKind = "evaluation";
  // Reads configurations through the scenario, so that its values apply to all of them. Many threads may
  // call it at once. No two points have the same coordinates, metric and variant.
  Predictions (*run)(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted);
  // Reads what it needs of a table's file, into the table or its `block`. nullptr: nothing.
  void (*read)(const TableFile& file, PublishedTable& table) = nullptr;
};

using Evaluations = Registry<Evaluation>;

// Predicts a table with its evaluation.
inline Predictions predict(const PublishedTable& table, const Scenario& scenario,
                           const CaseSelection& wanted = {}) {
  return Evaluations::get(table.evaluation).run(table, scenario, wanted);
}

}  // namespace a3sim
