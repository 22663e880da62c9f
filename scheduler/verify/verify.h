#pragma once

#include <string>
#include <vector>

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// The findings of the verifier. A schedule without errors is correct. Every finding is one sentence that
// names ranks, tasks, events.
struct Findings {
  std::vector<std::string> errors;
  std::vector<std::string> notes;  // what was checked, with counts
};

// Checks a schedule: thresholds equal the triggers that events receive from all ranks; every row that is sent
// arrives once and returns once; no durations lead to a deadlock. Under a ring order, notes whether the
// destinations at every position form a permutation.
Findings verify(const Schedule& schedule);

// Returns nothing if no run can deadlock. Otherwise returns one line per blocked worker: its task, the event
// it waits for, its count and threshold. Makes one untimed greedy run. Taking and triggering are monotone, so
// durations do not matter: if this run ends, every run does.
std::vector<std::string> find_deadlock(const Schedule& schedule);

// True if at every position of the ring the destinations of the ranks' puts of `op` form a permutation of the
// ranks. The position of a put is its place among its rank's puts of the same (expert, chunk).
bool destinations_form_permutations(const Schedule& schedule, OpId op);

}  // namespace a3sim
