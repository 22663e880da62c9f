#include "sim/study/summary/run_observation.h"

#include <algorithm>

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

ObservedMachine observed_machine(const Hardware& hardware, std::array<std::uint32_t, kCoreUnits> workers,
                                 bool collectives) {
  const auto rate = [](BytesPerSecond r) { return static_cast<double>(r.count); };
  const auto clock = static_cast<double>(hardware.clock.count);
  ObservedMachine machine;
  machine.aic = workers[0];
  machine.aiv = workers[1];
  machine.cube_rate = 2.0 * hardware.cube.macs_per_cycle_16 * clock * machine.aic;
  machine.vector_rate = hardware.vector.simple_fp32 * clock * machine.aiv;
  machine.hbm_read = rate(hardware.memory.hbm_read);
  machine.l2_read = rate(hardware.memory.l2_read);
  machine.clock = clock;
  for (std::size_t p = 0; p < hardware.fabric.planes.size(); ++p) {
    const Hardware::Fabric::Plane& of = hardware.fabric.planes[p];
    ObservedPlane plane;
    plane.name = of.name;
    plane.port = rate(std::min(of.egress, of.ingress));
    for (const Hardware::Fabric::Level& level : hardware.fabric.levels)
      if (level.plane == p)
        plane.port = std::min(plane.port, level.payload * rate(std::min(of.egress, of.ingress)));
    if (collectives) plane.port = std::min(plane.port, rate(hardware.collective.rate));
    plane.worker = std::min(plane.port, collectives ? plane.port : rate(hardware.fabric.put_per_worker));
    plane.startup = collectives ? Duration::zero() : hardware.fabric.put_startup;
    plane.alignment = hardware.fabric.unaligned;
    machine.planes.push_back(plane);
  }
  return machine;
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
