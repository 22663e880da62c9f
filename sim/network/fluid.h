#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/network/network.h"
#include "sim/network/rate_solver.h"

namespace a3sim {

// A network whose rates a solver decides; it keeps the dates. The solver is made once the specification has
// been found right.
std::unique_ptr<Network> make_fluid(std::string name, const NetworkSpec& spec,
                                    const std::function<std::unique_ptr<RateSolver>()>& make_solver);

}  // namespace a3sim
