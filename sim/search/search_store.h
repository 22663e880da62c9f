#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/evaluate.h"
#include "sim/sweep/database.h"

namespace a3sim {

// The latencies of an order that replaced a candidate's own, by pass, then by draw. If its run was ended early, it has no
// passes, and `longer_than` is what it takes longer than.
struct StoredOrder {
  std::vector<Latencies> passes;
  Duration longer_than{};
};

// Results of candidates in a database of sweeps. A point is a candidate's configuration in a scenario; its
// metrics are the latencies of its passes, `latency` as modelled and `latency.drawn.SEED.RUN` in a draw. Its file
// `other_orders.csv` has the results of orders that replaced the candidate's own. One process writes at a time; what it has
// recorded stays, however it ends.
class SearchStore {
 public:
  // Creates the file if it does not exist. Throws as SweepDatabase does.
  explicit SearchStore(const std::filesystem::path& file);

  // Returns latencies by pass, then by draw, or nullopt if some are not recorded.
  std::optional<std::vector<Latencies>> find(const std::string& point, const Experiment& experiment,
                                             const JitterOptions& jitter) const;
  void record(const std::string& point, const Experiment& experiment, const JitterOptions& jitter,
              const std::vector<Latencies>& passes);

  std::optional<StoredOrder> find_order(const std::string& point, const std::string& name,
                                        const JitterOptions& jitter) const;
  void record_order(const std::string& point, const Experiment& experiment, const std::string& name,
                    const JitterOptions& jitter, const StoredOrder& stored);

 private:
  void read_latencies(SQLite::Database& database);
  void read_orders(SQLite::Database& database);

  using Key = std::pair<std::string, std::string>;  // pass, metric

  SweepDatabase database_;
  std::map<std::string, std::map<Key, Duration>> known_;              // one entry per point
  std::map<std::string, std::map<std::string, StoredOrder>> orders_;  // per point, then per name and draws
};

}  // namespace a3sim
