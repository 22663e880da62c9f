#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/metrics/point_metrics.h"
#include "sim/study/sweep/point.h"
#include "sim/study/sweep/shard.h"
#include "sim/study/sweep/worker.h"

namespace a3sim {

// Who does what next: points of one taskflow, which share their schedules, go to one worker one after the
// other as long as there are others for the others.
class OrderOfWork {
 public:
  // `points` by number, and the taskflow of each number.
  OrderOfWork(const std::vector<std::uint64_t>& points, const std::vector<std::string>& taskflows,
              unsigned workers);

  // The next point for a worker: of its own taskflow; else of the first that nobody works on; else of the one
  // with the most points left.
  std::optional<std::uint64_t> next(unsigned worker);

 private:
  struct Group {
    std::vector<std::uint64_t> points;
    std::size_t given = 0;
    bool begun = false;
    std::size_t left() const { return points.size() - given; }
  };
  std::vector<Group> groups_;
  std::vector<std::size_t> of_worker_;  // its group
  std::size_t first_ = 0;               // groups before it have been begun
};

// A sweep's points, resolved.
struct SweepPlan {
  SweepSpec spec;
  std::vector<SweepPosition> positions;
  std::vector<std::string> ids, taskflows;  // by position
  std::vector<MeasuredWork> works;          // by position
  // Positions that were left out because their configurations are refused: by key, how many, and why the first.
  struct Refusal {
    std::size_t positions = 0;
    std::string why;
  };
  std::map<std::string, Refusal> refused;
};

// Throws InputError with what is wrong with the sweep or any of its experiments.
SweepPlan plan_sweep(SweepSpec spec);

struct SweepProgress {
  std::size_t wanted = 0, done = 0, failed = 0;  // points that this run is to compute; of them
};

struct SweepOptions {
  std::filesystem::path database;
  Shard shard;  // all points that others do are none of this run's
  unsigned jobs = 1;
  bool retry_failed = false;
  WorkerLimits limits;
  std::function<void(const SweepProgress&)> progress = [](const SweepProgress&) {};
};

// What stands in the database of a sweep.
struct SweepOutcome {
  std::size_t points = 0;            // different ones
  std::size_t known = 0;             // that the database had already, done or failed
  std::size_t done = 0, failed = 0;  // that this run has computed
  struct Failure {
    std::string where, error;
  };
  std::vector<Failure> failures{};  // that stand in the database, in the sweep's order
};

// Computes what the database does not know and records each point when it has ended. Throws InputError or
// RunError for the database, and Error with ExitCode::kInterrupted that says what stands.
SweepOutcome run_sweep(const SweepPlan& plan, const SweepOptions& options);

// What a run would do.
struct SweepEstimate {
  std::size_t points = 0, known = 0, measured = 0;  // measured: points that the estimate stands on
  bool from_database = false;                       // they are of the database; else they were run for it
  double seconds = 0;                               // of the whole run
  std::int64_t memory = 0;                          // of all workers together, at most
};
SweepEstimate estimate_sweep(const SweepPlan& plan, const SweepOptions& options);

}  // namespace a3sim
