#pragma once

#include <string>
#include <vector>

#include "sim/sweep/results/sweep_results.h"
#include "traces/report/report.h"

namespace a3sim {

// A metric to compare points by: `latency`. Larger is better where the metric says so (`tokens`), and for `-hit_rate` and
// `max:hit_rate`; smaller is for `min:tokens`.
struct Objective {
  const ResultMetric* metric = nullptr;
  bool larger = false;
  // Returns how bad a point is. The smaller, the better.
  double cost(std::size_t point) const { return larger ? -metric->values[point] : metric->values[point]; }
};

// Throws InputError as SweepResults::metric does.
Objective objective_of(const SweepResults& sweep, const std::string& pass, std::string text);

// Returns the `most` best points, the best first; equal ones in the order of the sweep.
std::vector<std::size_t> best_points(const SweepResults& sweep, const Objective& objective, std::size_t most);
// Reports them with the metrics `beside`. With the axis `per`, reports the best points for each of its
// values; without, also what each value of the best point is worth (decisions.h).
Report best_view(const SweepResults& sweep, const Objective& objective, std::size_t most,
                 const std::string& per, const std::vector<std::string>& beside = {});

// Returns the points that no other one beats, that is, is as good in all objectives and better in one. Equal
// points are all there. Sorted by the first objective, then in the order of the sweep.
std::vector<std::size_t> pareto_front(const SweepResults& sweep, const std::vector<Objective>& objectives);
Report pareto_view(const SweepResults& sweep, const std::vector<Objective>& objectives);

}  // namespace a3sim
