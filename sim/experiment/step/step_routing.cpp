#include "sim/experiment/step/step_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

struct DrawSpread {
  double least = 0, mean = 0, most = 0;
  double deviation = 0;  // of single draws
};

DrawSpread draw_spread_of(const std::vector<double>& values) {
  DrawSpread spread;
  const auto [least, most] = std::ranges::minmax(values);
  spread.least = least;
  spread.most = most;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / count;
  for (const double value : values) spread.deviation += (value - spread.mean) * (value - spread.mean);
  spread.deviation = values.size() > 1 ? std::sqrt(spread.deviation / (count - 1)) : 0;
  return spread;
}

// Returns how often the stage with the most of them runs a layer's experts, both ways.
double passes_of(const PreparedStep& prepared) {
  std::size_t most = 0;
  for (std::uint32_t s = 0; s < prepared.layout.shape.stages; ++s) {
    const std::vector<std::uint32_t> blocks = prepared.layout.blocks_of(s);
    most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(
                              blocks, [&](std::uint32_t b) { return !prepared.blocks[b].experts.empty(); })));
  }
  return static_cast<double>(most) * prepared.layout.shape.micro_batches_a_copy();
}

}  // namespace

void add_routing(const Experiment& experiment, const SimulatedStep& simulated, Report& report) {
  const std::vector<ExpertTimes>* const draws = experts_of(simulated.prepared);
  if (!draws || !Routings::get(experiment.routing.kind).draws()) return;
  const bool again = simulated.prepared.plan.step.experts_again();
  std::vector<double> busiest, alone;
  for (const ExpertTimes& times : *draws) {
    busiest.push_back(times.forward.busiest);
    alone.push_back(seconds(times.alone(again)));
  }
  const DrawSpread rows = draw_spread_of(busiest), times = draw_spread_of(alone);
  const auto count = static_cast<double>(alone.size());
  const double passes = passes_of(simulated.prepared), step = seconds(simulated.figures.time);
  const double reuse = times.deviation / std::sqrt(count) * passes / step;
  report.say(
      fmt::format("Routing {}, seed {}: {} draws, each for about {:.0f} of {:.0f} layers and micro-batches. "
                  "The busiest rank has {:.2f} to "
                  "{:.2f} times the mean rows, its experts take {:.2f} to {:.2f} ms.\n",
                  experiment.routing.kind, experiment.routing.seed, alone.size(), passes / count, passes,
                  rows.least, rows.most, 1e3 * times.least, 1e3 * times.most));
  if (alone.size() > 1)
    report.say(
        fmt::format("That they are so few leaves the step uncertain by {:.2f} % (one standard error); a draw "
                    "for each would leave "
                    "{:.2f} %.\n",
                    100 * reuse, 100 * times.deviation * std::sqrt(passes) / step));
  report.fact("routing.draws", static_cast<std::int64_t>(alone.size()))
      .fact("routing.busiest_mean", rows.mean)
      .fact("routing.busiest_most", rows.most)
      .fact("routing.reuse_error", reuse);
}

}  // namespace a3sim
