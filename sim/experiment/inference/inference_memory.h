#pragma once

#include "sim/experiment/inference/inference_options.h"

namespace a3sim {

// The memory of a die, in bytes.
struct InferenceMemory {
  double attention = 0, dense = 0, shared = 0, experts = 0;  // weights of all layers
  double ends = 0;                                           // weights of embedding and head
  double cache = 0;                                          // keys and values of the batch
  double buffers = 0;   // rows on their way, and what the largest layer computes
  double reserved = 0;  // by the runtime
  double weights() const { return attention + dense + shared + experts + ends; }
  double total() const { return weights() + cache + buffers + reserved; }
};

// Returns what the fullest die holds: one of attention, or, if they are apart, one of experts, whichever holds more.
InferenceMemory inference_memory(const InferencePlan& plan);
// Returns the bytes of keys and values that a die keeps for a token of a request.
double cache_of_token(const InferencePlan& plan);
// Returns the most requests of a rank for which the memory suffices; 0: for none.
std::uint64_t largest_batch(const InferencePlan& plan);
// Says what does not fit and what would help; empty: it fits.
std::string over_inference_capacity(const InferencePlan& plan);

}  // namespace a3sim
