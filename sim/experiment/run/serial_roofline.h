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

// The simplest estimate of a pass, which a reader could compute by hand from the machine's file, to compare
// with predictions. Nothing overlaps and nothing waits; it ignores how tasks are cut, ordered and signalled.
struct SerialRoofline {
  // Operators of the busiest rank, one after another. Each takes the longer of two times: its products'
  // arithmetic at a part of the peak, and its bytes at the HBM's rates. Each operand and result counts once.
  Duration operators{};
  // The busiest port's bytes, at its rate.
  Duration link{};
  Duration latency{};  // one latency, between the farthest two ranks that exchange bytes
  Duration launch{};   // one launch

  Duration total() const { return operators + link + latency + launch; }
};

// Computes the estimate for a schedule under a routing. `part_of_peak` is the part of the cubes' arithmetic
// that products reach, on top of the speed that the machine's file states.
SerialRoofline serial_roofline(const Schedule& schedule, const RoutingCounts& counts,
                               const Hardware& hardware, const Program& program, const RunOptions& options,
                               double part_of_peak);

// Computes it for those tasks of a program on streams for which `counts` returns true. Its argument is the
// task's number.
SerialRoofline serial_roofline(const StreamProgram& stream_program, const Hardware& hardware,
                               const Program& program, std::span<const std::uint32_t> dies,
                               double part_of_peak, const std::function<bool(std::uint32_t)>& counts);

}  // namespace a3sim
