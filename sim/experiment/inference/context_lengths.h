#pragma once

#include <cstdint>
#include <vector>

#include "sim/experiment/inference/inference_options.h"

namespace a3sim {

// Reads how long the caches of requests are where they differ: `contexts`, of which each rank takes the next ones, or `context_sigma`,
// which draws them. Sets the mean, the lengths of the rank with most tokens in its cache, and what it has over the mean.
void read_context_lengths(const Config& block, InferenceOptions& options);

// Returns the tokens in the cache of each request of the busiest rank's first micro-batch, the longest first, as one of the dies
// that share them has them.
std::vector<std::uint64_t> keys_of_requests(const InferenceOptions& options);

}  // namespace a3sim
