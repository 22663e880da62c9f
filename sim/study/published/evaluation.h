#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/study/published/point.h"
#include "sim/study/published/published_table.h"
#include "sim/study/published/scenario.h"

namespace a3sim {

// How much of a table is needed.
struct Wanted {
  bool variants = true;
  std::optional<std::vector<nlohmann::ordered_json>> cases{};  // by their coordinates; none: all

  // Whether a case is needed. An evaluation that runs it all the same is only slower.
  bool has(const nlohmann::ordered_json& coordinates) const;
};

struct Predictions {
  std::string heading;  // the table's, with what follows from the runs
  std::vector<Point> points;
};

// A way to predict what a table asks for; one file each, registered by name. `runs` (runs.cpp), which runs an
// experiment for each of the table's cases and reads its metrics, serves most tables.
class Evaluation {
 public:
  static constexpr std::string_view kKind = "evaluation";
  virtual ~Evaluation() = default;
  // Configurations are read through the scenario, so that its values reach all of them. May be called by many
  // threads at once. No two points agree in coordinates, metric and variant.
  virtual Predictions run(const PublishedTable& table, const Scenario& scenario,
                          const Wanted& wanted) const = 0;
};

using Evaluations = Registry<Evaluation>;

// Evaluates the table in its own way.
Predictions predict(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted = {});

}  // namespace a3sim
