#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/analysis/critical_path.h"

namespace a3sim {

// A part of a pass's time above its bound.
struct WaterfallPart {
  std::string name;
  Blame cause = Blame::kCube;  // what most of such time is spent on
  Duration time{};
  friend bool operator==(const WaterfallPart&, const WaterfallPart&) = default;
};

// The way from a lower bound to the latency. The bound and the parts sum to the latency, exactly.
struct Waterfall {
  std::string limiter;  // what the bound is of, in words; empty: there is no bound
  Duration bound{}, latency{};
  std::vector<WaterfallPart> parts;  // the largest first; those below half a per cent are one, the last
};

// Splits a pass's latency. `bound_by` is the name of the bound (cube, vector, HBM, link, cable NAME, path, or another).
//
// The resource of the bound is used to the full for as long as the bound says, spread over the pass as the
// busiest rank uses it. In the rest of the time it is not: that time belongs to what the critical path was
// spent on meanwhile, other than the resource itself. Where the path has nothing else, as it runs on one of
// several cubes, the resource is used in part.
Waterfall waterfall_of(const Trace& trace, const CriticalPath& path, Duration bound,
                       std::string_view bound_by);

}  // namespace a3sim
