#pragma once

#include "traces/analysis/explanation.h"
#include "traces/analysis/operator_blame.h"
#include "traces/report/figure.h"
#include "traces/trace.h"

namespace a3sim {

// Figures of one pass. `title` says which, like "ep8, forward".

// What operators reach against their roofs.
Figure roofline_figure(const std::string& title, const TracedPass& pass, const std::vector<Roofline>& roofs);
// Of each operator's reads, the share that it found in the L2 because another (or itself) had left it there.
Figure reuse_figure(const std::string& title, const Trace& trace);
bool has_reuse(const Trace& trace);
// All workers' time, by kind.
Figure workers_figure(const std::string& title, const WorkerKinds& kinds, const Explanation& explanation);
// What the critical path, or the difference of two, is spent on: an operator a bar.
Figure blame_figure(const std::string& title, const OperatorBlame& blame);
// The share of reads that each operator finds in the L2.
Figure hits_figure(const std::string& title, const Trace& trace);

}  // namespace a3sim
