#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "sim/experiment/run_experiment.h"
#include "traces/report/table.h"

namespace a3sim {

// A result's page of summary. Holds nothing but what follows from the configuration: no wall time, no path.
std::string summary_text(const Experiment& experiment, std::span<const PassResult> passes);

// The same and each rank's figures, for programs.
nlohmann::ordered_json summary_json(const Experiment& experiment, std::span<const PassResult> passes);

// Every task of a pass: its descriptor's main fields, its times in picoseconds, its losses. CSV with a
// header. The pass was run with records.
std::string tasks_csv(const PassResult& pass);

}  // namespace a3sim
