#include <charconv>

#include "sim/diagnosis/faults/fault.h"

namespace a3sim {
namespace {

// A host event in every nth step, so long after the host began the step. `phase` is the step of the first
// event; with `phase: rank` it is the rank's number.
template <HostAction action>
Fault read_host_event(const Config& entry, const FaultSite&) {
  constexpr std::int64_t kMostSteps = 1'000'000;
  const auto every = static_cast<std::uint32_t>(entry.integer("every", 1, kMostSteps, 1));
  HostEvent event;
  event.action = action;
  event.at = entry.has("at") ? entry.duration("at") : Duration::zero();
  event.length = entry.duration("length");
  const std::string phase = entry.text("phase", "0");
  std::uint32_t shift = 0;
  const auto [rest, error] = std::from_chars(phase.data(), phase.data() + phase.size(), shift);
  const bool number = error == std::errc() && rest == phase.data() + phase.size();
  if (!number && phase != "rank") entry.error("phase", "expected a number of steps, or 'rank'");
  return {[=](const Fault& fault, std::uint32_t step, StepConditions& conditions) {
    for (const std::uint32_t rank : fault.ranks)
      if (step % every == (number ? shift : rank) % every) conditions.hosts[rank].events.push_back(event);
  }};
}

Fault read_launch(const Config& entry, const FaultSite&) {
  constexpr double kMostSpread = 3;
  const Duration add = entry.duration("add");
  const double spread = entry.number("spread", 0, kMostSpread, 0);
  return {[=](const Fault& fault, std::uint32_t, StepConditions& c) {
    for (const std::uint32_t rank : fault.ranks)
      c.hosts[rank].slow.push_back({add, spread, fault.seed + (std::uint64_t{rank} << 32)});
  }};
}

Fault read_load(const Config& entry, const FaultSite&) {
  const DataOptions data = read_data_options(entry, {});
  return {[=](const Fault& fault, std::uint32_t, StepConditions& c) {
    for (const std::uint32_t rank : fault.ranks) c.hosts[rank].data = data;
  }};
}

A3SIM_REGISTER(FaultKind, "allocate", "hosts allocate or free device memory",
               FaultKind{"{kind: allocate, ranks: [1], every: 4, at: 0 ms, length: 30 ms}",
                         read_host_event<HostAction::kAllocate>});
A3SIM_REGISTER(FaultKind, "compile", "hosts compile an operator before they launch it",
               FaultKind{"{kind: compile, ranks: all, every: 1, at: 0 ms, length: 6 ms}",
                         read_host_event<HostAction::kCompile>});
A3SIM_REGISTER(FaultKind, "log", "hosts write logs",
               FaultKind{"{kind: log, ranks: all, every: 1, at: 0 ms, length: 40 ms}",
                         read_host_event<HostAction::kLog>});
A3SIM_REGISTER(FaultKind, "pause", "hosts stand still: garbage is collected",
               FaultKind{"{kind: pause, ranks: all, every: 9, at: 2 ms, length: 60 ms, phase: rank}",
                         read_host_event<HostAction::kCollect>});
A3SIM_REGISTER(FaultKind, "sync", "hosts wait until their device is idle, and go on later",
               FaultKind{"{kind: sync, ranks: all, every: 1, at: 0 ms, length: 2 ms}",
                         read_host_event<HostAction::kSync>});
A3SIM_REGISTER(FaultKind, "launch", "the host's launches take longer",
               FaultKind{"{kind: launch, ranks: all, add: 400 us, spread: 1.0}", read_launch});
A3SIM_REGISTER(FaultKind, "load", "batches take longer on their way to the device",
               FaultKind{
                   "{kind: load, ranks: all, read: 5 ms, process: 40 ms, fetch: 1 ms, workers: 1, queue: 4}",
                   read_load});

}  // namespace
}  // namespace a3sim
