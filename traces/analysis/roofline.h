#pragma once

#include <vector>

#include "traces/trace.h"

namespace a3sim {

// What an operator's tasks reach while they run, against what the machine allows: of a rank, the mean of all.
struct Roofline {
  double operations = 0;    // two a multiply-accumulate, one an element and vector instruction
  double hbm_bytes = 0;     // read and written
  double l2_bytes = 0;      // read and written through the L2
  double intensity = 0;     // operations a byte of HBM; 0 without either
  double l2_intensity = 0;  // operations a byte of L2
  // Operations a second: where arithmetic is the roof, as if all workers of the operator's kind
  // ran its tasks as its own did; where memory is, while some of its tasks run. Of puts: bytes a second while
  // some are under way.
  double achieved = 0;
  double peak = 0;        // the same with nothing but arithmetic; of puts: the port's rate
  double memory = 0;      // what HBM and L2 allow for this intensity; 0 where nothing is moved
  bool l2_bound = false;  // the L2 allows less than the HBM

  double roof() const { return memory > 0 && memory < peak ? memory : peak; }
};

// By operator.
std::vector<Roofline> rooflines(const Trace& trace);

}  // namespace a3sim
