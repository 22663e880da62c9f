#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/diagnosis/rules/link_rates.h"
#include "traces/observation.h"

namespace a3sim {

// Cables or switches on which transfers are slow, found as in network tomography: transfers whose routes cross them are slow, and
// others are not.
struct SlowCables {
  // One of these is meant; several where records cannot tell them apart. "leaf3-spine1", "leaf3->spine1", "switch spine1".
  std::vector<std::string> names;
  double factor = 1;     // of the rate of what goes over them, relative to the others
  double fit = 0;        // part of the variance of all rates that they explain
  double port_fit = 0;   // the same of the port, or both ports of a rank, that explains most
  std::size_t over = 0;  // pairs of ranks whose transfers cross them
  const TransferRecord* longest = nullptr;
};

// Compares what each cable, both ways of a cable, and each switch explain of the logarithms of rates, by how much of a pair's
// bytes crosses it. Returns those that explain most, all that do so equally; nullopt where rates do not fall with it.
std::optional<SlowCables> slow_cables_of(const LinkRates& rates, std::span<const ObservedCables> cables);

}  // namespace a3sim
