#include "sim/traffic/traffic_runs.h"

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/streams/micro_batches.h"
#include "sim/variation/difference_table.h"

namespace a3sim {

std::size_t TrafficRuns::add(const TrafficPath& path, RoutingCounts counts,
                             std::vector<RoutingCounts> before) {
  runs_.push_back({.path = &path, .counts = std::move(counts), .before = std::move(before)});
  runs_.back().refused = path.refused;
  return runs_.size() - 1;
}

void TrafficRuns::run(unsigned threads) {
  std::vector<std::size_t> schedules, streams;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (!runs_[i].path->experiment) continue;
    (runs_[i].path->micro_batches ? streams : schedules).push_back(i);
  }
  run_schedules(schedules, threads);
  in_parallel(streams.size(), threads, [&](std::size_t i) { run_micro_batch(runs_[streams[i]]); });
}

void TrafficRuns::run_schedules(const std::vector<std::size_t>& numbers, unsigned threads) {
  if (numbers.empty()) return;
  std::vector<Variation> variations;
  for (const std::size_t i : numbers) variations.push_back(on_counts("", *runs_[i].path, runs_[i].counts));
  const Experiment first = variations.front().of(*runs_[numbers.front()].path->experiment);
  variations.erase(variations.begin());
  const DifferenceTable table = differences(
      {first, nullptr}, variations, {.jitter = JitterOptions::none(), .threads = threads, .hold = false});
  runs_[numbers.front()].time = table.base.total();
  for (std::size_t v = 0; v < variations.size(); ++v) {
    Run& run = runs_[numbers[v + 1]];
    run.refused = table.rows[v].refused;
    if (table.rows[v].ran()) run.time = table.rows[v].outcome.total();
  }
}

void TrafficRuns::run_micro_batch(Run& run) {
  try {
    const Experiment experiment = on_counts("", *run.path, run.counts).of(*run.path->experiment);
    const std::vector<MicroBatchResult> results = run_micro_batches(experiment, {run.before, {run.counts}});
    const bool forward = run.path->experiment->passes.size() == 1;
    run.time = results.front().forward + (forward ? Duration{} : results.front().backward);
  } catch (const InputError& error) {
    run.refused = error.what();
  }
}

}  // namespace a3sim
