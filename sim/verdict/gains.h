#pragma once

#include <span>

#include "sim/experiment/experiment.h"
#include "sim/verdict/verdict.h"

namespace a3sim {

// Runs variations of the experiment, and gives the verdicts of its passes their candidates: parts of the machine that the
// critical paths are blamed on, parts that pace the same tasks together, levels of cables, and rows for all experts alike. All are
// run once, without noise; where a few ranks can stand for all, only these. Where that takes too long, says in the
// verdicts which command does it. Verdicts without a path are left as they are.
void find_gains(const Experiment& experiment, std::span<Verdict> verdicts, unsigned threads);

}  // namespace a3sim
