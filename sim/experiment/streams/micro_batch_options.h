#pragma once

#include <cstdint>
#include <string>

#include "models/balance/expert_places.h"
#include "sim/core/config/config.h"
#include "sim/experiment/streams/methods/method.h"

namespace a3sim {

// Says how a MoE layer runs one micro-batch after another.
struct MicroBatchOptions {
  std::string method = "none";  // a registered Method
  std::uint32_t micro_batches = 200;
  std::uint32_t seeds = 1;  // number of seeds, from the routing's own seed on
  PlaceBy place = PlaceBy::kNumber;
  MethodOptions with;
};

// Reads the keys of micro-batches in the block `experiment`, and the blocks `balance`, `framework`, `tutel`
// and `triton`.
MicroBatchOptions read_micro_batch_options(const Config& root);

}  // namespace a3sim
