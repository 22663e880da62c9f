#pragma once

#include <charconv>
#include <memory>

#include "sim/study/faults/simple_fault.h"

namespace a3sim {

// A fault that is something that hosts do: in every nth step, so long after they began with it. `phase`: by how many
// steps later than step 0 it begins; of `rank`, by each rank's number.
inline std::unique_ptr<Fault> read_host_event(const Config& entry, HostAction action) {
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
  return std::make_unique<SimpleFault>(
      [=](const SimpleFault& fault, std::uint32_t step, StepConditions& conditions) {
        for (const std::uint32_t rank : fault.ranks)
          if (step % every == (number ? shift : rank) % every) conditions.hosts[rank].events.push_back(event);
      });
}

}  // namespace a3sim
