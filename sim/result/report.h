#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run/run_experiment.h"
#include "sim/experiment/run/run_outcome.h"
#include "traces/report/report.h"

namespace a3sim {

// The summary of a run, for people and for programs, and the files that its kind of work keeps beside it. It
// depends only on the configuration: no wall time, no path.
struct RunSummary {
  std::string text;
  nlohmann::ordered_json json;
  std::vector<NamedFile> files{};
};

// Summarises the passes of a run: what ran, what its kind of work says of it, and what all kinds have in common. A saved
// result has the same values (saved_run.h). Passes without traces are enough for the text of works that do not tell passes
// (ExperimentWork::tells_passes); there is no JSON then.
RunSummary run_summary(const Experiment& experiment, const PreparedWork& work,
                       std::span<const RunOutcome> passes);
// Does the same for schedules that ran with records.
RunSummary run_summary(const Experiment& experiment, const Compiled& compiled,
                       std::span<const PassResult> passes);

// Reports what all kinds of work have in common: each pass, its operators and its ranks.
Report passes_report(std::span<const RunOutcome> passes);

// Returns what result.json says of a run besides its passes. `own` comes behind the experiment's name.
nlohmann::ordered_json result_head(const Experiment& experiment, const Trace& trace,
                                   const nlohmann::ordered_json& own);

// Returns the files of a traced pass (traces/trace_csv.h): its tasks, their causes, what the hosts did, and
// its cables.
std::vector<NamedFile> trace_files(const RunOutcome& pass);

}  // namespace a3sim
