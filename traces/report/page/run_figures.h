#pragma once

#include <optional>
#include <string>

#include "traces/analysis/explanation.h"
#include "traces/analysis/operator_blame.h"
#include "traces/report/figure.h"
#include "traces/trace.h"

namespace a3sim {

// Figures of one pass. `title` names it, like "ep8, forward".

// Shows what operators reach and their roofs.
Figure roofline_figure(const std::string& title, const TracedPass& pass, const std::vector<Roofline>& roofs);
// Shows the share of each operator's reads that it found in the L2, by the operator that had left it there.
Figure reuse_figure(const std::string& title, const Trace& trace);
bool has_reuse(const Trace& trace);
// Shows all workers' time, by kind.
Figure workers_figure(const std::string& title, const WorkerKinds& kinds, const Explanation& explanation);
// Shows what the critical path, or the difference of two, is spent on, one bar per operator.
Figure blame_figure(const std::string& title, const OperatorBlame& blame);
// Shows the share of each operator's reads that hit the L2.
Figure hits_figure(const std::string& title, const Trace& trace);

// Lays one figure over another of the same kind: what is the first's is hollow. Returns nothing if their x axes
// differ.
std::optional<Figure> laid_over(const Figure& first, const std::string& first_name, const Figure& second,
                                const std::string& second_name);

}  // namespace a3sim
