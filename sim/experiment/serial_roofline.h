#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "models/routing/routing.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/runtime/run.h"

namespace a3sim {

struct StreamProgram;

// What a reader would compute by hand of a pass from the machine's file: the simplest formula, which predictions stand
// beside. Nothing overlaps and nothing waits; how tasks are cut, ordered and signalled does not count.
struct SerialRoofline {
  // The busiest rank's operators, one after the other: each takes the longer of its products' arithmetic, at a part of
  // the peak, and of its bytes at the HBM's rates, each operand and result counted once.
  Duration operators{};
  // What ranks send each other: the busiest port's bytes, at its rate.
  Duration link{};
  Duration latency{};  // one, of the farthest two ranks that exchange bytes
  Duration launch{};   // one

  Duration total() const { return operators + link + latency + launch; }
};

// Of a schedule under a routing. `part_of_peak`: of the cubes' arithmetic that products are said to reach, beside
// what the machine's file says of its speed.
SerialRoofline serial_roofline(const Schedule& schedule, const RoutingCounts& counts,
                               const Hardware& hardware, const Program& program, const RunOptions& options,
                               double part_of_peak);

// Of those tasks of a program on streams that `counts` returns true for; by their numbers.
SerialRoofline serial_roofline(const StreamProgram& stream_program, const Hardware& hardware,
                               const Program& program, std::span<const std::uint32_t> dies,
                               double part_of_peak, const std::function<bool(std::uint32_t)>& counts);

}  // namespace a3sim
