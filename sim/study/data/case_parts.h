#pragma once

#include "sim/study/data/data_case.h"

// What cases of both sizes are made with.
namespace a3sim {

// Where the generator sends every token; weights are not drawn yet.
plain::Routed routed_by(const RoutingSpec& spec, const MoeShape& shape);

// A case of an experiment whose tokens go as `routed` says; draws the weights and completes the passes.
DataCase data_case(Experiment experiment, plain::Routed routed, std::uint64_t seed);

}  // namespace a3sim
