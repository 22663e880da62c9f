#include "sim/study/published/evaluation.h"

#include <algorithm>

namespace a3sim {

bool same_coordinates(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b) {
  return nlohmann::json(a) == nlohmann::json(b);
}

bool Wanted::has(const nlohmann::ordered_json& coordinates) const {
  return !cases || std::ranges::any_of(*cases, [&](const nlohmann::ordered_json& one) {
    return same_coordinates(one, coordinates);
  });
}

Predictions predict(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  return Evaluations::get(table.evaluation).run(table, scenario, wanted);
}

}  // namespace a3sim
