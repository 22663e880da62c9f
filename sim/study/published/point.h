#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "traces/report/table.h"

namespace a3sim {

// A predicted value. What was published about it is added by sim/study/published/comparison.h.
struct Point {
  // What tells it from the table's other points, as columns in this order: {"m": 4096, "dtype": "bf16"}.
  nlohmann::ordered_json coordinates;
  std::string metric, unit;                     // sim/study/published/metric.h
  double value = 0;                             // in `unit`
  std::string hardware;                         // Hardware::name of what it was predicted for
  std::string variant{};                        // what differs from the default; empty for the default
  std::vector<std::pair<Column, Cell>> more{};  // further columns of its row
};

// Whether coordinates are the same; the order of their keys does not matter.
bool same_coordinates(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

}  // namespace a3sim
