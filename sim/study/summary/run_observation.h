#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/diagnosis/observe/trace_observation.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/study/summary/saved_run.h"

namespace a3sim {

// The machine of a file, or of a result's configuration, and the program if the file has one.
struct MachineFile {
  Hardware hardware;
  std::optional<Program> program;
};
// Throws InputError with everything that is wrong in it.
MachineFile read_machine_file(const std::filesystem::path& file);

// What the hardware allows, of a run on as many workers as a trace has.
TracedMachine traced_machine(const Hardware& hardware, const Program* program, const TraceMachine& traced);
// That of the run's own configuration; none where that is no longer beside it.
std::optional<TracedMachine> machine_of_run(const SavedRun& run);

// A traced run as an observation that holds it. `hardware`: a file that says what its machine allows; empty: its own.
std::unique_ptr<Observation> observe(SavedRun run, const std::filesystem::path& hardware);

// What the rules find in one traced pass of a run.
Advice advise_on_pass(const SavedRun& run, std::size_t pass, const RuleBook& rules);

}  // namespace a3sim
