#include "sim/traffic/traffic_runs.h"

#include <algorithm>

namespace a3sim {

std::size_t TrafficRuns::add(const TrafficPath& path, RoutingCounts counts,
                             std::vector<RoutingCounts> before) {
  variations_.push_back(on_counts(path, std::move(counts), std::move(before)));
  passes_.push_back(path.experiment ? path.experiment->passes.size() : 0);
  return variations_.size() - 1;
}

void TrafficRuns::run(const Experiment& experiment, unsigned threads) {
  table_ =
      outcomes(experiment, variations_, {.jitter = JitterOptions::none(), .threads = threads, .hold = false});
}

Duration TrafficRuns::at(std::size_t run) const {
  const std::vector<Latencies>& passes = table_.rows[run].outcome.passes;
  Duration time{};
  for (std::size_t pass = 0; pass < std::min(passes_[run], passes.size()); ++pass)
    time += passes[pass].front();
  return time;
}

}  // namespace a3sim
