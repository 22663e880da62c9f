#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/parallel.h"
#include "sim/core/statistics.h"
#include "sim/experiment/micro_batches.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kGroups[] = {2, 4, 8};
constexpr const char* kMethods[] = {"none", "faster", "faster_pipe2", "tutel", "triton", "feplb"};
constexpr std::uint32_t kDyns[] = {2, 4, 8};
constexpr std::uint32_t kSeedsOfVariants = 8;

using Results = std::vector<std::vector<MicroBatchResult>>;  // by seed

// One figure of micro-batches, by seed.
template <class Value>
MeanInterval mean_over(const Results& results, const Value& value) {
  std::vector<std::vector<double>> by_seed;
  for (const auto& seed : results) {
    by_seed.emplace_back();
    for (const MicroBatchResult& result : seed) by_seed.back().push_back(value(result));
  }
  return mean_interval_of_groups(by_seed);
}

// What one group's micro-batches come to.
struct Group {
  Experiment experiment;
  std::map<std::string, Results> by_method;
  std::map<std::uint32_t, std::vector<std::vector<double>>> straggler_by_dyn;  // of feplb, by seed
};

std::vector<double> stragglers(const Experiment& experiment, const Batches& batches, std::uint32_t dyn) {
  LoadHistory history = history_before(batches);
  MethodOptions with = experiment.work->micro_batches()->with;
  with.balance.dyn = dyn;
  std::vector<double> stragglers;
  for (const RoutingCounts& counts : batches.counts) {
    const MicroBatch batch(counts, history);
    std::vector<double> rows;
    for (std::uint32_t rank = 0; rank < counts.ranks(); ++rank) rows.push_back(sum_of(rows_at(batch, rank)));
    for (const ExpertMove& move : moves_of(batch, with)) {
      rows[move.from] -= batch.rows[move.expert];
      rows[move.to] += batch.rows[move.expert];
    }
    stragglers.push_back(above_mean(rows));
    history.add(batch.rows);
  }
  return stragglers;
}

// Points with the interval that seeds leave.
class Points {
 public:
  Points(const Wanted& wanted, std::string hardware) : wanted_(wanted), hardware_(std::move(hardware)) {}

  void add(const Json& coordinates, const char* metric, const char* unit, const MeanInterval& mean,
           const std::string& note = "") {
    if (!wanted_.has(coordinates)) return;
    Point point{coordinates, metric, unit, mean.mean, hardware_, variant};
    point.more = {{Column::words("95 % over seeds"), fmt::format("{:.4g}..{:.4g}", mean.low, mean.high)},
                  {Column::words("note"), note}};
    points.push_back(std::move(point));
  }

  std::vector<Point> points;
  std::string variant{};  // of what is added

 private:
  const Wanted& wanted_;
  std::string hardware_;
};

std::vector<Group> groups(const Scenario& scenario) {
  std::vector<Group> groups;
  for (const std::uint32_t ep : kGroups) {
    Group& group = groups.emplace_back(Group{scenario.load(fmt::format("feplb_ep{}", ep)), {}, {}});
    check_streams(group.experiment);
    for (const char* method : kMethods)
      group.by_method[method].resize(group.experiment.work->micro_batches()->seeds);
    for (const std::uint32_t dyn : kDyns)
      group.straggler_by_dyn[dyn].resize(group.experiment.work->micro_batches()->seeds);
  }
  const std::uint32_t seeds = groups.front().experiment.work->micro_batches()->seeds;
  in_parallel(groups.size() * seeds, scenario.threads, [&](std::size_t i) {
    Group& group = groups[groups.size() - 1 - i / seeds];  // what takes longest first
    const std::size_t seed = i % seeds;
    const Batches batches = draw_batches(group.experiment, static_cast<std::uint32_t>(seed));
    for (const char* method : kMethods) {
      const std::string set[] = {fmt::format("experiment.method={}", method)};
      const Experiment experiment = group.experiment.with(set);
      group.by_method.at(method)[seed] = run_micro_batches(experiment, batches);
    }
    for (const std::uint32_t dyn : kDyns)
      group.straggler_by_dyn.at(dyn)[seed] = stragglers(group.experiment, batches, dyn);
  });
  return groups;
}

void add_latencies(const Json& of, const Results& results, Points& points) {
  for (const bool forward : {true, false}) {
    Json coordinates = of;
    coordinates["pass"] = forward ? "forward" : "backward";
    points.add(coordinates, "latency", "ms", mean_over(results, [&](const MicroBatchResult& r) {
                 return milliseconds(forward ? r.forward : r.backward);
               }));
  }
}

void latencies(const Group& group, Points& points) {
  for (const char* method : kMethods) {
    if (method == std::string_view("faster_pipe2")) continue;  // of figure 4 alone
    add_latencies({{"ep", group.experiment.shape.ep}, {"method", method}}, group.by_method.at(method),
                  points);
  }
}

void stragglers_of(const Group& group, Points& points) {
  const std::uint32_t ep = group.experiment.shape.ep;
  for (const char* method : {"none", "faster", "feplb"}) {
    const Results& results = group.by_method.at(method);
    points.add({{"ep", ep}, {"method", method}}, "token_straggler", "rows",
               mean_over(results, [](const MicroBatchResult& r) { return r.token_straggler; }));
    points.add({{"ep", ep}, {"method", method}}, "gemm_straggler", "ms",
               mean_over(results, [](const MicroBatchResult& r) { return 1e3 * r.gemm_straggler; }));
  }
  for (const auto& [dyn, by_seed] : group.straggler_by_dyn)
    points.add({{"ep", ep}, {"dyn", dyn}}, "token_straggler", "rows", mean_interval_of_groups(by_seed));
}

void phases(const Group& group, Points& points) {
  const Results& none = group.by_method.at("none");
  const auto dispatch = [](const MicroBatchResult& r) { return milliseconds(r.dispatch); };
  const auto combine = [](const MicroBatchResult& r) { return milliseconds(r.combine); };
  const std::uint32_t ep = group.experiment.shape.ep;
  const auto add = [&](const char* method, const char* phase, const auto& time) {
    std::vector<std::vector<double>> by_seed;
    const Results& results = group.by_method.at(method);
    for (std::size_t seed = 0; seed < results.size(); ++seed) {
      by_seed.emplace_back();
      for (std::size_t b = 0; b < results[seed].size(); ++b)
        by_seed.back().push_back(time(results[seed][b]) / time(none[seed][b]) - 1);
    }
    points.add({{"ep", ep}, {"method", method}, {"phase", phase}}, "overhead", "fraction",
               mean_interval_of_groups(by_seed));
  };
  for (const char* method : {"faster", "faster_pipe2", "feplb"}) {
    add(method, "dispatch", dispatch);
    add(method, "combine", combine);
  }
  points.add({{"ep", ep}, {"method", "none"}}, "waste", "fraction",
             mean_over(none, [](const MicroBatchResult& r) { return r.waste; }));
  const auto busiest = [](const MicroBatchResult& r) { return *std::ranges::max_element(r.rows); };
  double least = 1e18, most = 0;
  for (const auto& seed : none) {
    for (const MicroBatchResult& r : seed) {
      least = std::min(least, *std::ranges::min_element(r.rows));
      most = std::max(most, busiest(r));
    }
  }
  points.add({{"ep", ep}, {"method", "none"}}, "rows_per_rank", "rows", mean_over(none, busiest),
             fmt::format("the busiest rank; all ranks {:.0f}..{:.0f}", least, most));
}

// How many points of none's straggler more dynamic experts take away, as a mean over the groups.
void gains(const std::vector<Group>& groups, Points& points) {
  for (const auto& [from, to] : {std::pair{kDyns[0], kDyns[1]}, std::pair{kDyns[1], kDyns[2]}}) {
    MeanInterval all;
    double least = 1e18, most = -1e18;
    for (const Group& group : groups) {
      const double none =
          mean_over(group.by_method.at("none"), [](const auto& r) { return r.token_straggler; }).mean;
      std::vector<std::vector<double>> by_seed = group.straggler_by_dyn.at(from);
      for (std::size_t s = 0; s < by_seed.size(); ++s) {
        for (std::size_t b = 0; b < by_seed[s].size(); ++b)
          by_seed[s][b] = 100 * (by_seed[s][b] - group.straggler_by_dyn.at(to)[s][b]) / none;
      }
      const MeanInterval mean = mean_interval_of_groups(by_seed);
      const auto n = static_cast<double>(groups.size());
      all = {all.mean + mean.mean / n, all.low + mean.low / n, all.high + mean.high / n};
      least = std::min(least, mean.mean);
      most = std::max(most, mean.mean);
    }
    points.add({{"dyn_from", from}, {"dyn_to", to}}, "straggler_gain", "points", all,
               fmt::format("over the groups {:.1f}..{:.1f}", least, most));
  }
}

// At EP8.
void variants(const PublishedTable& table, const Scenario& scenario, Points& points) {
  std::vector<std::pair<const PublishedVariant*, std::string>> runs;
  for (const PublishedVariant& one : table.variants) {
    if (!std::ranges::all_of(one.overrides, [&](const std::string& o) { return scenario.leaves_open(o); }))
      continue;
    for (const std::string& method : one.methods) runs.emplace_back(&one, method);
  }
  std::vector<Results> results(runs.size());
  std::vector<std::uint32_t> eps(runs.size());
  in_parallel(runs.size(), scenario.threads, [&](std::size_t i) {
    const Experiment variant = scenario.load("feplb_ep8", runs[i].first->overrides);
    const std::uint32_t seeds = std::min(variant.work->micro_batches()->seeds, kSeedsOfVariants);
    const std::string set[] = {fmt::format("experiment.method={}", runs[i].second)};
    const Experiment experiment = variant.with(set);
    eps[i] = experiment.shape.ep;
    for (std::uint32_t seed = 0; seed < seeds; ++seed)
      results[i].push_back(run_micro_batches(experiment, draw_batches(experiment, seed)));
  });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    points.variant = runs[i].first->name;
    const Json of{{"ep", eps[i]}, {"method", runs[i].second}};
    add_latencies(of, results[i], points);
    points.add(of, "token_straggler", "rows",
               mean_over(results[i], [](const MicroBatchResult& r) { return r.token_straggler; }));
  }
}

Predictions run_feplb(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  const std::vector<Group> all = groups(scenario);
  Points points(wanted, all.front().experiment.hardware.name);
  for (const Group& group : all) latencies(group, points);
  for (const Group& group : all) stragglers_of(group, points);
  phases(all.back(), points);
  gains(all, points);
  if (wanted.variants) variants(table, scenario, points);
  return {table.heading, std::move(points.points)};
}

A3SIM_REGISTER(Evaluation, "feplb", "a MoE layer on streams under drifting routing, by method",
               Evaluation{run_feplb});

}  // namespace
}  // namespace a3sim
