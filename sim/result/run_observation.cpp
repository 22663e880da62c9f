#include "sim/result/run_observation.h"

#include <algorithm>

#include "sim/diagnosis/observe/observed_machine.h"

namespace a3sim {
namespace {

// Holds the run. This base is initialised before the observation that refers to it.
struct HeldRun {
  SavedRun run;
};

class RunObservation final : private HeldRun, public TraceObservation {
 public:
  RunObservation(SavedRun held, const std::optional<TracedMachine>& machine)
      : HeldRun{std::move(held)}, TraceObservation(run.passes, machine) {}
};

// A simulated pass has no slow steps. Where a cause has remedies for time that every step loses, the others are left out: they
// are for faults of hardware, drivers and frameworks.
void keep_standing(Finding& finding, const RuleBook& rules) {
  const auto cause = rules.causes.find(finding.cause);
  if (cause == rules.causes.end() || cause->second.standing_remedies().empty()) return;
  const std::vector<RemedyPlan>& standing = cause->second.standing_remedies();
  std::erase_if(finding.remedies, [&](const Remedy& remedy) {
    return std::ranges::find(standing, remedy.text, &RemedyPlan::text) == standing.end();
  });
}

}  // namespace

MachineFile read_machine_file(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  MachineFile machine;
  machine.hardware = read_hardware(root.map("hardware"));
  if (root.has("program")) machine.program = read_program(root.map("program"));
  diagnostics.throw_if_any();
  return machine;
}

TracedMachine traced_machine(const Hardware& hardware, const Program* program, const TraceMachine& traced) {
  TracedMachine machine;
  const WorkerKinds& kinds = traced.streams ? hardware.workers : traced.workers;
  const std::array<std::uint32_t, kCoreUnits> workers{kinds.count(CoreUnit::kMatrix),
                                                      kinds.count(CoreUnit::kVector)};
  machine.machine = observed_machine(hardware, program, workers, traced.collectives);
  for (const Hardware::Fabric::Level& level : hardware.fabric.levels)
    machine.planes.emplace(level.latency, static_cast<std::uint16_t>(level.plane));
  return machine;
}

std::optional<TracedMachine> machine_of_run(const SavedRun& run) {
  std::error_code error;
  if (run.passes.empty() || !std::filesystem::is_regular_file(run.configuration(), error)) return {};
  const MachineFile own = read_machine_file(run.configuration());
  return traced_machine(own.hardware, own.program ? &*own.program : nullptr,
                        run.passes.front().trace.machine);
}

std::unique_ptr<Observation> observe(SavedRun run, const std::filesystem::path& hardware) {
  std::optional<TracedMachine> machine = machine_of_run(run);
  if (!hardware.empty()) {
    // The planes of its puts are those of its own machine.
    const MachineFile file = read_machine_file(hardware);
    TracedMachine other = traced_machine(file.hardware, file.program ? &*file.program : nullptr,
                                         run.passes.front().trace.machine);
    if (machine) other.planes = machine->planes;
    machine = std::move(other);
  }
  return std::make_unique<RunObservation>(std::move(run), machine);
}

Advice advise_on_pass(const SavedRun& run, std::size_t pass, const RuleBook& rules) {
  Advice advice =
      advise(TraceObservation(std::span(run.passes).subspan(pass, 1), machine_of_run(run)), rules);
  keep_standing_remedies(advice, rules);
  return advice;
}

void keep_standing_remedies(Advice& advice, const RuleBook& rules) {
  for (std::vector<Finding>* const findings : {&advice.findings, &advice.infos})
    for (Finding& finding : *findings) keep_standing(finding, rules);
}

}  // namespace a3sim
