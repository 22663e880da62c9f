#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/result/metrics/point_metrics.h"
#include "sim/sweep/point.h"
#include "sim/sweep/shard.h"
#include "sim/sweep/worker.h"

namespace a3sim {

// Gives points to workers. Points of one taskflow share their schedules and go to one worker, one after the
// other, as long as the other workers have other points.
class OrderOfWork {
 public:
  // `points` holds numbers; `taskflows` has the taskflow of each number.
  OrderOfWork(const std::vector<std::uint64_t>& points, const std::vector<std::string>& taskflows,
              unsigned workers);

  // Returns the next point for a worker: one of its taskflow; else of the first taskflow that no worker
  // has; else of the one with the most points left.
  std::optional<std::uint64_t> next(unsigned worker);

 private:
  struct Group {
    std::vector<std::uint64_t> points;
    std::size_t given = 0;
    bool begun = false;
    std::size_t left() const { return points.size() - given; }
  };
  std::vector<Group> groups_;
  std::vector<std::size_t> of_worker_;  // group of each worker
  std::size_t first_ = 0;               // all groups before it have been begun
};

// The resolved points of a sweep.
struct SweepPlan {
  SweepSpec spec;
  std::vector<SweepPosition> positions;
  std::vector<std::string> ids, taskflows;    // one per position
  std::vector<std::vector<bool>> has_metric;  // by position, then by the sweep's metrics: its work has it
  // Positions that are left out because their configurations are refused, by the refused key: their number,
  // and the first reason.
  struct Refusal {
    std::size_t positions = 0;
    std::string why;
  };
  std::map<std::string, Refusal> refused;
};

// Throws InputError with what is wrong with the sweep or any of its experiments. Configurations are read on up
// to `threads` threads; the plan does not depend on their number.
SweepPlan plan_sweep(SweepSpec spec, unsigned threads = 1);

struct SweepProgress {
  // Points to compute in this run; those that are done and failed.
  std::size_t wanted = 0, done = 0, failed = 0;
};

struct SweepOptions {
  std::filesystem::path database;
  Shard shard;  // this run ignores the points of other shards
  unsigned jobs = 1;
  bool retry_failed = false;
  WorkerLimits limits;
  std::function<void(const SweepProgress&)> progress = [](const SweepProgress&) {};
};

// The state of a sweep's database after a run.
struct SweepOutcome {
  std::size_t points = 0;            // different ones
  std::size_t known = 0;             // already in the database, done or failed
  std::size_t done = 0, failed = 0;  // computed by this run
  std::size_t left_out = 0;          // cannot be among the best that the sweep asks for
  struct Failure {
    std::string where, error;
  };
  std::vector<Failure> failures{};  // all in the database, in the sweep's order
};

// Computes the points that are not in the database, and records each when it ends. A sweep that asks for its best points alone
// computes the others only as far as they may be among them. Throws InputError or
// RunError for the database, and Error with ExitCode::kInterrupted, which says what is recorded.
SweepOutcome run_sweep(const SweepPlan& plan, const SweepOptions& options);

// The estimated cost of a run.
struct SweepEstimate {
  std::size_t points = 0, known = 0, measured = 0;  // measured: points that the estimate is based on
  bool from_database = false;  // measured points are from the database; else they were run for the estimate
  double seconds = 0;          // of the whole run
  std::int64_t memory = 0;     // of all workers together, at most
};
SweepEstimate estimate_sweep(const SweepPlan& plan, const SweepOptions& options);

}  // namespace a3sim
