#pragma once

#include <vector>

#include "traces/trace.h"

namespace a3sim {

// The speed that an operator's tasks reach while they run, and the machine's limits. Means over ranks.
struct Roofline {
  double operations = 0;    // two per multiply-accumulate, one per element and vector instruction
  double hbm_bytes = 0;     // read and written
  double l2_bytes = 0;      // read and written through the L2
  double intensity = 0;     // operations per byte of HBM; 0 without either
  double l2_intensity = 0;  // operations per byte of L2
  // Operations per second. If arithmetic is the limit: as if all workers of the operator's kind ran its
  // tasks at the speed of its own. If memory is: while some of its tasks run. For puts: bytes per second
  // while some are under way.
  double achieved = 0;
  double peak = 0;        // limit by arithmetic alone; of puts: the port's rate
  double memory = 0;      // limit by HBM and L2 at this intensity; 0 without traffic
  bool l2_bound = false;  // the L2 allows less than the HBM

  double roof() const { return memory > 0 && memory < peak ? memory : peak; }
};

// Returns one entry per operator.
std::vector<Roofline> rooflines(const Trace& trace);

}  // namespace a3sim
