#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/diagnosis/observe/trace_observation.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/result/saved_run.h"

namespace a3sim {

// The machine of a file, or of a result's configuration, and the program if the file has one.
struct MachineFile {
  Hardware hardware;
  std::optional<Program> program;
};
// Throws InputError with all that is wrong in the file.
MachineFile read_machine_file(const std::filesystem::path& file);

// Returns what the hardware allows a run with as many workers as the trace has.
TracedMachine traced_machine(const Hardware& hardware, const Program* program, const TraceMachine& traced);
// Returns the machine of the run's own configuration, or nullopt if that file is gone.
std::optional<TracedMachine> machine_of_run(const SavedRun& run);

// Returns a traced run as an observation, which owns it. `hardware` is a file of its machine; empty: the
// run's own.
std::unique_ptr<Observation> observe(SavedRun run, const std::filesystem::path& hardware);

// Returns what the rules find in one traced pass of a run, without remedies for faults that a simulation does not have.
Advice advise_on_pass(const SavedRun& run, std::size_t pass, const RuleBook& rules);
// Leaves out remedies for faults of hardware, drivers and frameworks, which a simulated run has not.
void keep_standing_remedies(Advice& advice, const RuleBook& rules);

}  // namespace a3sim
