#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/published/directions.h"
#include "sim/published/scenario.h"

namespace a3sim {

// A direction predicted again under other values.
struct DirectionTurn {
  const PublishedDirection* direction = nullptr;
  std::vector<std::string> set;  // the values
  double before = 1, predicted = 1;
  std::size_t place = 0, of = 0;  // rank among all directions under these values
  bool turns = false;             // sign and rank are the published ones
};

// Reads what may turn a direction, its key `turned_by`: overrides, with files relative to `folder`. Under each set of
// them it is predicted again if it differs. Notes what is wrong.
std::vector<std::vector<std::string>> read_turns(const Config& direction,
                                                 const std::filesystem::path& folder);

// Predicts the directions that differ in sign or rank again under each of their `turned_by`. Values of the machine, the
// program, the model and the routing hold for all directions' cases, others for the faster case of this one.
std::vector<DirectionTurn> direction_turns(const PublishedTable& table,
                                           const std::vector<Comparison>& comparisons,
                                           const Scenario& scenario);

// Returns a line for each: what it becomes, and whether that is as published. Empty without any.
std::string turns_text(const std::vector<DirectionTurn>& turns);

}  // namespace a3sim
