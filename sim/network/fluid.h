#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/network/network.h"
#include "sim/network/rate_solver.h"

namespace a3sim {

// Makes a network whose rates a solver computes; the network keeps the times. Makes the solver after checking
// the specification.
std::unique_ptr<Network> make_fluid(std::string name, const NetworkSpec& spec,
                                    const std::function<std::unique_ptr<RateSolver>()>& make_solver);

}  // namespace a3sim
