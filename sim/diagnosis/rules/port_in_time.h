#pragma once

#include <cstdint>

#include "sim/diagnosis/rules/slowdown.h"

namespace a3sim {

// Describes a port that alternates between its usual rate and a much lower one under the same load. A port that is steadily slow
// never carries its usual rate, and each of its puts is slow alike in each step.
struct PortInTime {
  double low = 0;             // part of the busy time at the low rate
  std::uint32_t changes = 0;  // between low and full, a step
  double period = 0;          // ps from one fall to the next; 0: less than two in a step
  double changing = 0;        // part of the steps in which it changed and was low for longer than usual
  // What it carries in the exchange that it slows most, of the least that a port would which is slow all the time: the least of
  // a step; and the part of the steps in which that is much less.
  double of_steady = 1, uneven = 0;
  double apart =
      0;  // by how much a put's time goes up and down from step to step, as a logarithm, mean of puts
  double others = 0;  // the median of the other ranks' ports

  bool varies(const RuleData& shared) const {
    return apart >= shared.at("port_varies") && apart >= shared.at("port_varies_more") * others;
  }
};

// Returns this for the egress or the ingress of a rank, from the puts of recorded steps on the ways that are
// slower than the part `slow` of their usual rate.
PortInTime port_in_time(const Slowdown& slowdown, std::uint32_t rank, bool egress, double slow);

}  // namespace a3sim
