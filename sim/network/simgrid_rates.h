#pragma once

#include "sim/network/rate_solver.h"

namespace a3sim {

// What the module of SimGrid offers, by its name: rates by SimGrid's sharing; the caller's to delete. Throws
// RunError where another is in use.
extern "C" RateSolver* a3sim_make_simgrid_rates(const NetworkSpec& spec);

inline constexpr char kSimGridModule[] = "liba3sim_simgrid.so";
inline constexpr char kMakeSimGridRates[] = "a3sim_make_simgrid_rates";

}  // namespace a3sim
