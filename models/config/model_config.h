#pragma once

#include <cstdint>

#include "models/routing/routing.h"
#include "models/shape.h"
#include "sim/core/config/config.h"

namespace a3sim {

// How the ranks of an expert-parallel group are laid out.
struct Parallel {
  std::uint32_t ep = 1;         // ranks in the group
  std::uint32_t tp_stride = 1;  // dies from one rank of the group to the next: the tensor-parallel size
  std::uint32_t nodes = 1;      // that the group is spread over; 1: as few as it fits on
  bool ep_is_wrong = false;     // which has been said: 1 stands for it, and nothing follows from that
};

// The readers note what is wrong in the configuration's Diagnostics, and finish the mapping that they read.

// Reads `dtype`, a type that operators compute with (int32 only counts); absent: bf16.
DataType read_dtype(const Config& config);

// Reads the `parallel` mapping.
Parallel read_parallel(const Config& config);

// Reads the `model` mapping. Experts are given a rank (`experts_per_rank`) or in total (`experts`, which the
// group must divide); `name` and `source` are for the reader. Noted as wrong: a top_k above the number of
// experts, and sizes whose rows cannot be counted in 32 bits.
MoeShape read_shape(const Config& config, const Parallel& parallel);

// Reads the `routing` mapping: a registered kind (default balanced) and what it needs. A file is relative to
// the file that names it.
RoutingSpec read_routing(const Config& config);

}  // namespace a3sim
