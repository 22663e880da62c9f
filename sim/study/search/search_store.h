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

// Results of candidates in a database of sweeps. A point is a candidate's configuration in a scenario; its
// metrics are the latencies of its passes, `latency` as modelled and `latency.drawn.SEED.RUN` in a draw.
// One process writes at a time; what it has recorded stays, however it ends.
class SearchStore {
 public:
  // Creates the file if it does not exist. Throws as SweepDatabase does.
  explicit SearchStore(const std::filesystem::path& file);

  // Returns latencies by pass, then by draw, or nullopt if some are not recorded.
  std::optional<std::vector<Latencies>> find(const std::string& point, const Experiment& experiment,
                                             const JitterOptions& jitter) const;
  void record(const std::string& point, const Experiment& experiment, const JitterOptions& jitter,
              const std::vector<Latencies>& passes);

 private:
  using Key = std::pair<std::string, std::string>;  // pass, metric

  SweepDatabase database_;
  std::map<std::string, std::map<Key, Duration>> known_;  // one entry per point
};

}  // namespace a3sim
