#pragma once

#include <string>
#include <vector>

#include "sim/experiment/micro_batches.h"
#include "traces/report/report.h"

namespace a3sim {

// The first micro-batch of an experiment on streams: its passes, by name.
struct NamedStreamPass {
  std::string name;
  StreamPass pass;
};
std::vector<NamedStreamPass> run_first_batch(const Experiment& experiment);

// What it has to say: how long each pass takes, its kernels, copies and host work, and what of them its latency
// waited for, which sums to it.
Report stream_report(const Experiment& experiment, const std::vector<NamedStreamPass>& passes);

// Every task of a pass, a line each.
std::string tasks_csv(const NamedStreamPass& pass);

}  // namespace a3sim
