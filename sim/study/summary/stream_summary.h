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

// A pass's part of such a summary: its operators and ranks, and how long it took. And what a result says of the machine and
// the way it ran, as saved_run.h reads it.
Report stream_pass_report(const NamedStreamPass& pass);
nlohmann::ordered_json stream_result_json(const Experiment& experiment, const std::string& method,
                                          const Trace& trace);

// The files of a traced pass, as of a pass of tasks.
std::vector<NamedFile> trace_files(const NamedStreamPass& pass);

}  // namespace a3sim
