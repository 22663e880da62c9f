#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "traces/report/report.h"
#include "traces/trace.h"

namespace a3sim {

// Returns the summary of a result, with figures of each operator and rank for programs. It depends only on
// the configuration: no wall time, no path. The passes must have been run with records.
Report summary_report(const Experiment& experiment, std::span<const PassResult> passes);

// Returns the summary and what ran as JSON.
nlohmann::ordered_json summary_json(const Experiment& experiment, std::span<const PassResult> passes,
                                    const Report& summary);

// Returns the worker kinds, `kinds` of a result.
nlohmann::ordered_json kinds_json(const WorkerKinds& kinds);

// Returns the machine as a result keeps it. `starts` says how much later than the first each rank was
// started.
nlohmann::ordered_json machine_json(const TraceMachine& machine, const std::vector<Duration>& starts);

// Returns every task of a pass as CSV with a header: main fields of its descriptor, times in picoseconds,
// losses. The pass must have been run with records.
std::string tasks_csv(const PassResult& pass);

// A file of a traced pass (traces/trace_csv.h): its tasks, their causes, or what the hosts did.
struct NamedFile {
  std::string name, contents;
};
std::vector<NamedFile> trace_files(const Experiment& experiment, const PassResult& pass);

// The summary of a run, for people and for programs, with the range of its latency if values were assumed.
// The passes must have been run with records.
struct RunSummary {
  std::string text;
  nlohmann::ordered_json json;
};
RunSummary run_summary(const Experiment& experiment, const Compiled& compiled,
                       std::span<const PassResult> passes);

}  // namespace a3sim
