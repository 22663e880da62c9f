#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/streams/micro_batches.h"
#include "sim/experiment/work.h"

namespace a3sim {

// The metrics that are the rows of the busiest rank, and of the rank with the fewest.
inline constexpr std::string_view kMostRows = "rows_per_rank", kFewestRows = "fewest_rows_per_rank";

// Returns the names of the metrics that micro-batches have, each once.
std::vector<std::string> batch_metric_names();

// Returns all of them, one value per micro-batch.
std::vector<SampledMetric> batch_samples(const std::vector<MicroBatchResult>& results);

// Returns what the simplest formula (serial_roofline.h) gives of one seed's samples: the latency of each pass of the first
// micro-batch, and how long the products of each token straggler take at that part of the cubes' peak.
std::vector<SampledMetric> batch_samples_by_hand(const Experiment& experiment, std::uint32_t seed,
                                                 const std::vector<SampledMetric>& samples,
                                                 double part_of_peak);

}  // namespace a3sim
