#pragma once

#include <cstdint>

#include "traces/rules/case.h"

namespace a3sim {

// Whether a port carries what it usually can at times and much less at others, while the same was to be sent: how often
// of its busy time it is low, and how often it changes between the two.
struct PortInTime {
  double low = 0;             // part of the busy time
  std::uint32_t changes = 0;  // between low and full, a step
  double peak = 0;            // its highest rate, of the usual highest
};
PortInTime port_in_time(const Case& of, std::uint32_t rank, bool egress);

}  // namespace a3sim
