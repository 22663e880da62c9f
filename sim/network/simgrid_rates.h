#pragma once

#include "sim/network/rate_solver.h"

namespace a3sim {

// Returns a solver with SimGrid's sharing, which the caller must delete. Throws RunError while another one is
// in use. The SimGrid module exports it under this name.
extern "C" RateSolver* a3sim_make_simgrid_rates(const NetworkSpec& spec);

inline constexpr char kSimGridModule[] = "liba3sim_simgrid.so";
inline constexpr char kMakeSimGridRates[] = "a3sim_make_simgrid_rates";

}  // namespace a3sim
