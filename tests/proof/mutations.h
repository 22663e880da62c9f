#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "scheduler/ssc/ssc.h"
#include "sim/core/rng.h"

// Schedules broken on purpose, by one change on one rank or the same change on all. A check must see them.
namespace a3sim {

// The parts of all ranks' schedules.
using Parts = std::vector<SscParts>;

struct Mutation {
  std::string_view kind;
  // Changes one thing of a rank, chosen at random. Returns false if there was nothing to change.
  bool (*apply)(Parts& parts, std::uint32_t rank, Rng& rng);
};

// Changes every rank with the same draws. Returns false if some rank had nothing to change.
bool apply_to_all(const Mutation& mutation, Parts& parts, Rng& rng);

// Returns all mutations.
std::span<const Mutation> mutations();
// Returns those that change a task's own fields.
std::span<const Mutation> task_mutations();

}  // namespace a3sim
