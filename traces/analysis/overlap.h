#pragma once

#include <vector>

#include "traces/trace.h"

namespace a3sim {

// The part of a rank's communication that its matrix tasks cover. Communication is the time in which at least
// one put to or from another rank is under way, from its start until its destination sees it. `hidden` is
// the part of it in which at least one matrix task runs, `exposed` the rest.
struct Overlap {
  Duration hidden{}, exposed{};
};

// Returns one entry per rank.
std::vector<Overlap> overlaps(const Trace& trace);

}  // namespace a3sim
