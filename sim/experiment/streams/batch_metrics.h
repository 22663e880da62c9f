#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/streams/micro_batches.h"
#include "sim/experiment/work.h"

namespace a3sim {

// Returns a metric of a micro-batch in its unit. Throws std::logic_error if micro-batches have none of this
// name and pass.
using BatchValue = double (*)(const MicroBatchResult&);
BatchValue batch_value(std::string_view metric, std::string_view pass = "total");

// Returns the names of the metrics that micro-batches have, each once.
std::vector<std::string> batch_metric_names();

// Returns all of them, one value per micro-batch.
std::vector<SampledMetric> batch_samples(const std::vector<MicroBatchResult>& results);

}  // namespace a3sim
