#pragma once

#include <string>
#include <vector>

#include "sim/study/summary/report.h"
#include "sim/study/summary/stream_trace.h"

namespace a3sim {

// A pass of the first micro-batch of an experiment on streams.
struct NamedStreamPass {
  std::string name;
  Trace trace;
  Duration latency{};
  std::vector<std::uint64_t> sent;  // by rank: bytes to other ranks
};
std::vector<NamedStreamPass> run_first_batch(const Experiment& experiment);

// What it has to say, for people and for programs: how long each pass takes, its kernels, copies and host work, and what
// of them its latency waited for, which sums to it. A saved result is read from the same (saved_run.h).
RunSummary stream_summary(const Experiment& experiment, const std::vector<NamedStreamPass>& passes);

// The files of a traced pass, as of a pass of tasks.
std::vector<NamedFile> trace_files(const NamedStreamPass& pass);

}  // namespace a3sim
