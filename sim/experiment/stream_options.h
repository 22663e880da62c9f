#pragma once

#include <cstdint>
#include <string>

#include "models/balance/expert_places.h"
#include "sim/core/config/config.h"
#include "sim/experiment/methods/method.h"

namespace a3sim {

// How a MoE layer runs on streams, micro-batch after micro-batch.
struct StreamOptions {
  std::string method = "none";  // a registered Method
  std::uint32_t micro_batches = 200;
  std::uint32_t seeds = 1;  // of the routing, from its own on
  PlaceBy place = PlaceBy::kNumber;
  MethodOptions with;
};

// Whether the block `experiment` says that it runs on streams, or that one schedule is replayed for micro-batches.
bool runs_on_streams(const Config& experiment);
bool replays_batches(const Config& experiment);
// Reads the keys of streams there, and the blocks `balance`, `tutel` and `triton`.
StreamOptions read_stream_options(const Config& root);

}  // namespace a3sim
