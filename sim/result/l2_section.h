#pragma once

#include <optional>
#include <string>

#include "sim/experiment/experiment.h"
#include "traces/report/figure.h"
#include "traces/trace.h"

namespace a3sim {

// Runs a pass again and draws what the L2 of the rank that ends last holds of each tensor over time, beside its
// size: what an operator wrote in that operator's colour, what lay in memory before in tones. Returns nothing for
// work without schedules, for an L2 that does not know its tensors (of lines, or of given rates), and for a pass
// that takes another time than the trace, which another a3sim or configuration wrote.
std::optional<Figure> l2_over_time(const std::string& title, const Experiment& experiment,
                                   const PreparedWork& work, std::size_t pass, const Trace& trace);

}  // namespace a3sim
