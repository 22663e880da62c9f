#pragma once

#include <cstdint>

#include "models/routing/routing.h"
#include "models/shape.h"
#include "sim/core/config/config.h"

namespace a3sim {

// The layout of the ranks of an expert-parallel group.
struct Parallel {
  std::uint32_t ep = 1;         // ranks in the group
  std::uint32_t tp_stride = 1;  // dies between neighbouring ranks of the group: the tensor-parallel size
  std::uint32_t nodes = 1;      // nodes that the group spans; 1: as few as possible
  bool ep_is_wrong = false;     // `ep` was invalid and already reported; 1 replaces it
};

// The readers below note errors in the configuration's Diagnostics, and finish the mapping that they read.

// Reads `dtype`, a type that operators compute with (so not int32); absent: bf16.
DataType read_dtype(const Config& config);

// Reads the `parallel` mapping.
Parallel read_parallel(const Config& config);

// Reads the `model` mapping. Experts are given per rank (`experts_per_rank`) or in total (`experts`, which
// `ep` must divide). `name` and `source` are documentation. Notes an error for a top_k above the number of
// experts, and for sizes whose rows do not fit 32 bits.
MoeShape read_shape(const Config& config, const Parallel& parallel);

// Reads the `routing` mapping: a registered kind (default: balanced) and its parameters. A file name is
// relative to the file that contains it.
RoutingSpec read_routing(const Config& config);

}  // namespace a3sim
