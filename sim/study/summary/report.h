#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "traces/report/report.h"
#include "traces/trace.h"

namespace a3sim {

// A result's page of summary, and for programs each operator's and each rank's figures. Holds nothing but what follows
// from the configuration: no wall time, no path. The passes were run with records.
Report summary_report(const Experiment& experiment, std::span<const PassResult> passes);

// The same for programs, with what ran.
nlohmann::ordered_json summary_json(const Experiment& experiment, std::span<const PassResult> passes,
                                    const Report& summary);

// What the workers are, as `kinds` of a result.
nlohmann::ordered_json kinds_json(const WorkerKinds& kinds);

// The machine, as a result keeps it: by rank how much later than the others it was started.
nlohmann::ordered_json machine_json(const TraceMachine& machine, const std::vector<Duration>& starts);

// Every task of a pass: its descriptor's main fields, its times in picoseconds, its losses. CSV with a
// header. The pass was run with records.
std::string tasks_csv(const PassResult& pass);

// The files of a traced pass (traces/trace_csv.h): its tasks, their causes, what the hosts did.
struct NamedFile {
  std::string name, contents;
};
std::vector<NamedFile> trace_files(const Experiment& experiment, const PassResult& pass);

// All that a run has to say: its page, for people and for programs, and the ends of what its latency may be where values
// were assumed. The passes were run with records.
struct RunSummary {
  std::string text;
  nlohmann::ordered_json json;
};
RunSummary run_summary(const Experiment& experiment, const Compiled& compiled,
                       std::span<const PassResult> passes);

}  // namespace a3sim
