#include "sim/diagnosis/faults/fault.h"

// Faults of ranks: slow clocks or memory, and late starts.
namespace a3sim {
namespace {

template <std::vector<double> StepConditions::* rates>
Fault read_rate(const Config& entry, const FaultSite&) {
  const double factor = read_rate_factor(entry);
  return {[factor](const Fault& fault, std::uint32_t, StepConditions& conditions) {
    for (const std::uint32_t rank : fault.ranks) (conditions.*rates)[rank] *= factor;
  }};
}

Fault read_start(const Config& entry, const FaultSite&) {
  const Duration late = entry.duration("late");
  return {[=](const Fault& fault, std::uint32_t, StepConditions& c) {
    for (const std::uint32_t rank : fault.ranks) c.late[rank] += late;
  }};
}

A3SIM_REGISTER(FaultKind, "clock", "ranks run at a part of their clock",
               FaultKind{"{kind: clock, ranks: [3], factor: 0.9, steps: [40, 79]}",
                         read_rate<&StepConditions::clock>});
A3SIM_REGISTER(FaultKind, "hbm", "ranks' HBM gives a part of its rates",
               FaultKind{"{kind: hbm, ranks: [3], factor: 0.7, steps: [40, 79]}",
                         read_rate<&StepConditions::hbm>});
A3SIM_REGISTER(FaultKind, "start", "ranks start later with a step than they could",
               FaultKind{"{kind: start, ranks: [2], late: 3 ms}", read_start});

}  // namespace
}  // namespace a3sim
