#pragma once

#include <string>
#include <vector>

#include "sim/runtime/cable_use.h"
#include "sim/study/summary/report.h"
#include "sim/study/summary/stream_trace.h"

namespace a3sim {

// A pass of the first micro-batch of an experiment on streams.
struct NamedStreamPass {
  std::string name;
  Trace trace;
  Duration latency{};
  std::vector<std::uint64_t> sent;  // one per rank: bytes to other ranks
  std::vector<CableUse> cables{};   // those used most first
};
std::vector<NamedStreamPass> run_first_batch(const Experiment& experiment);

// Summarises the passes for people and programs: the time of each pass, its kernels, copies and host work,
// and the parts of its latency, which sum to it. A saved result has the same values (saved_run.h).
RunSummary stream_summary(const Experiment& experiment, const std::vector<NamedStreamPass>& passes);

// Returns a pass's part of such a summary: its operators, its ranks and its time. stream_result_json()
// returns the machine and the method, as saved_run.h reads them.
Report stream_pass_report(const NamedStreamPass& pass);
nlohmann::ordered_json stream_result_json(const Experiment& experiment, const std::string& method,
                                          const Trace& trace);

// Returns the files of a traced pass, like those of a pass of tasks.
std::vector<NamedFile> trace_files(const NamedStreamPass& pass);

}  // namespace a3sim
