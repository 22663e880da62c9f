#pragma once

#include <string>
#include <vector>

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// What is wrong with a schedule; empty when all holds. Every
// finding is one sentence that names ranks, tasks, events.
struct Findings {
  std::vector<std::string> errors;
  std::vector<std::string> notes;  // what was checked, with counts
};

// Thresholds equal the triggers that events receive over all ranks; every row that is sent arrives once and
// returns once; no deadlock for any durations; under a ring order, whether the destinations at every position
// form a permutation.
Findings verify(const Schedule& schedule);

// One untimed greedy run. Taking and firing are monotone, so durations do not matter: if this run ends, every
// run does. Otherwise: each blocked worker with its task, the event it waits for, its count and threshold.
std::vector<std::string> find_deadlock(const Schedule& schedule);

// True if at every position of the ring the destinations of the ranks' puts of `op` form a permutation of the
// ranks. The position of a put is its place among its rank's puts of the same (expert, chunk).
bool destinations_form_permutations(const Schedule& schedule, OpId op);

}  // namespace a3sim
