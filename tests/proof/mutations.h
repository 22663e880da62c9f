#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "scheduler/ssc/ssc.h"
#include "sim/core/rng.h"

// Schedules broken on purpose, one change each, of one rank or alike of all: what a check must see.
namespace a3sim {

// The parts of all ranks' schedules.
using Parts = std::vector<SscParts>;

struct Mutation {
  std::string_view kind;
  // Changes one thing of a rank, drawn; false: this draw found nothing to change.
  bool (*apply)(Parts& parts, std::uint32_t rank, Rng& rng);
};

// Changes every rank by the same draws; false: on some rank they found nothing to change.
bool apply_to_all(const Mutation& mutation, Parts& parts, Rng& rng);

// All of them.
std::span<const Mutation> mutations();
// Of them: what a task says of itself.
std::span<const Mutation> task_mutations();

}  // namespace a3sim
