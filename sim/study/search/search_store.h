#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/evaluate.h"
#include "sim/study/sweep/database.h"

namespace a3sim {

// What candidates came to, in a database of sweeps: a point is a candidate's configuration in a scenario, its metrics are
// the latencies of its passes, `latency` as modelled and `latency.drawn.SEED.RUN` in a draw. Written by one process at a
// time; what was recorded stands, however that ends.
class SearchStore {
 public:
  // Makes the file if it is not there. Throws as SweepDatabase does.
  explicit SearchStore(const std::filesystem::path& file);

  // By pass, by draw; nothing where some of it has not been recorded.
  std::optional<std::vector<Latencies>> find(const std::string& point, const Experiment& experiment,
                                             const JitterOptions& jitter) const;
  void record(const std::string& point, const Experiment& experiment, const JitterOptions& jitter,
              const std::vector<Latencies>& passes);

 private:
  using Key = std::pair<std::string, std::string>;  // pass, metric

  SweepDatabase database_;
  std::map<std::string, std::map<Key, Duration>> known_;  // by point
};

}  // namespace a3sim
