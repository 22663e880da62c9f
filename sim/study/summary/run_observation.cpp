#include "sim/study/summary/run_observation.h"

#include <algorithm>

#include "sim/diagnosis/observe/observed_machine.h"

namespace a3sim {
namespace {

// Read before what looks at it.
struct HeldRun {
  SavedRun run;
};

class RunObservation final : private HeldRun, public TraceObservation {
 public:
  RunObservation(SavedRun held, const std::optional<TracedMachine>& machine)
      : HeldRun{std::move(held)}, TraceObservation(run.passes, machine) {}
};

}  // namespace

Hardware read_hardware_file(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  Hardware hardware = read_hardware(Config::load(file, {}, diagnostics).map("hardware"));
  diagnostics.throw_if_any();
  return hardware;
}

TracedMachine traced_machine(const Hardware& hardware, const TraceMachine& traced) {
  TracedMachine machine;
  const WorkerKinds& kinds = traced.streams ? hardware.workers : traced.workers;
  const std::array<std::uint32_t, kCoreUnits> workers{kinds.count(CoreUnit::kMatrix),
                                                      kinds.count(CoreUnit::kVector)};
  machine.machine = observed_machine(hardware, workers, traced.collectives);
  for (const Hardware::Fabric::Level& level : hardware.fabric.levels)
    machine.planes.emplace(level.latency, static_cast<std::uint16_t>(level.plane));
  return machine;
}

std::optional<TracedMachine> machine_of_run(const SavedRun& run) {
  std::error_code error;
  if (run.passes.empty() || !std::filesystem::is_regular_file(run.configuration(), error)) return {};
  return traced_machine(read_hardware_file(run.configuration()), run.passes.front().trace.machine);
}

std::unique_ptr<Observation> observe(SavedRun run, const std::filesystem::path& hardware) {
  std::optional<TracedMachine> machine = machine_of_run(run);
  if (!hardware.empty()) {
    // The planes of its puts are told by the hops of its own machine.
    TracedMachine other = traced_machine(read_hardware_file(hardware), run.passes.front().trace.machine);
    if (machine) other.planes = machine->planes;
    machine = std::move(other);
  }
  return std::make_unique<RunObservation>(std::move(run), machine);
}

Advice advise_on_pass(const SavedRun& run, std::size_t pass, const RuleBook& rules) {
  return advise(TraceObservation(std::span(run.passes).subspan(pass, 1), machine_of_run(run)), rules);
}

}  // namespace a3sim
