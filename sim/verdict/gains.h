#pragma once

#include <span>

#include "sim/experiment/experiment.h"
#include "sim/verdict/verdict.h"

namespace a3sim {

// Runs variations of the experiment, and gives the verdicts of its passes their candidates: parts of the machine that the
// critical paths are blamed on, parts that pace the same tasks together, levels of cables, and equal rows for all experts. All are
// run once, without noise, or under random times where that is cheap; where a few ranks can represent all, only these. Where it
// takes too long, says in the verdicts which command does it. Verdicts without a path are left as they are.
void find_gains(const Experiment& experiment, std::span<Verdict> verdicts, unsigned threads);

}  // namespace a3sim
