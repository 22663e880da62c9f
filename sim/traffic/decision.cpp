#include "sim/traffic/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>

#include "models/balance/expert_places.h"
#include "sim/core/error.h"
#include "sim/variation/noise.h"

namespace a3sim {
namespace {

constexpr const char* kStreamsPath = "kernels on streams";

// Returns `count` steps of a part of the record, evenly apart.
std::vector<std::size_t> spread_over(std::size_t begin, std::size_t end, std::size_t count) {
  count = std::min(count, end - begin);
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < count; ++i) steps.push_back(begin + (2 * i + 1) * (end - begin) / (2 * count));
  return steps;
}

// Returns by how much of its time each run is shorter with a remedy, with the move spread over `horizon` steps, unless that is 0.
std::vector<double> saved_parts(const Latencies& with, const Latencies& without, Duration move = {},
                                double horizon = 0) {
  std::vector<double> parts;
  const double each = horizon > 0 ? seconds(move) / horizon : 0;
  for (std::size_t i = 0; i < with.size(); ++i)
    parts.push_back((seconds(without[i] - with[i]) - each) / seconds(without[i]));
  return parts;
}

// Returns whether the earlier half of the steps, which are in their order, saves something, and the later half less than half of that.
bool has_worn_off(const std::vector<double>& saved) {
  const auto middle = saved.begin() + static_cast<std::ptrdiff_t>(saved.size() / 2);
  const double earlier = median({saved.begin(), middle});
  return earlier > 0 && median({middle, saved.end()}) < earlier / 2;
}

class Decider {
 public:
  Decider(const TrafficLog& log, std::uint32_t layer, const Experiment& experiment,
          const DecideOptions& options)
      : log_(log), experiment_(experiment), options_(options) {
    result_.log = log.file;
    result_.layer = layer;
    result_.shape = experiment.shape;
    result_.machine = experiment.hardware.name;
    result_.pass = experiment.passes.size() == 1 ? experiment.passes.front().name : "forward and backward";
  }

  TrafficDecision decide() {
    result_.steps = dealt(experiment_.shape.tokens);
    const std::size_t all = result_.steps.size();
    if (all < kFewestSteps)
      throw InputError(fmt::format(
          "{}: {} steps of {} tokens on each of {} ranks, expected at least {}, to decide on some and pay on "
          "others: fewer tokens (--tokens-per-rank), or a longer log",
          log_.file, all, experiment_.shape.tokens, experiment_.shape.ep, kFewestSteps));
    result_.unevenness = unevenness_of(result_.steps, experiment_.shape, chance_ratios(experiment_.shape));
    find_ages();
    late_ = {0, all / 2, spread_over(all / 2, all, options_.steps)};
    early_ = {0, all / 4,
              spread_over(all / 4, all / 2, std::max<std::size_t>(kFewestRuns, options_.steps / 2))};
    result_.paid = late_.paid;
    result_.rest = all - all / 2;
    add_paths();
    add_remedies();
    add_sizes();
    runs_.run(experiment_, options_.threads);
    take_paths();
    take_remedies();
    take_sizes();
    take_regret();
    return std::move(result_);
  }

 private:
  std::vector<RoutingCounts> dealt(std::uint32_t tokens) const {
    const MoeShape& s = experiment_.shape;
    return deal_traffic(log_, result_.layer, {s.ep, tokens, experiment_.routing.deal, s.top_k, s.experts()})
        .steps;
  }

  std::size_t add_run(const TrafficPath& path, std::size_t step) {
    return runs_.add(path, result_.steps[step],
                     path.micro_batches ? steps_before(result_.steps, step) : std::vector<RoutingCounts>{});
  }

  void find_ages() {
    constexpr std::size_t kPairs = 24;
    const std::vector<RoutingCounts>& steps = result_.steps;
    std::vector<double> unplaced;
    for (const RoutingCounts& step : steps) unplaced.push_back(busiest_over_mean(rows_by_rank(step)));
    result_.unplaced = median(unplaced);
    for (std::size_t age = 1; age <= steps.size() / 2; age *= 2) {
      std::vector<double> busiest;
      for (const std::size_t s : spread_over(0, steps.size() - age, kPairs)) {
        const auto expert_at = lpt_places(rows_by_expert(steps[s]), experiment_.shape.experts_per_rank);
        busiest.push_back(busiest_over_mean(rows_by_rank(placed(steps[s + age], expert_at))));
      }
      result_.ages.push_back({age, median(busiest)});
    }
  }

  void add_paths() {
    for (TrafficPath& path : traffic_paths(experiment_, options_.paths)) paths_.push_back(std::move(path));
    const RoutingCounts even = route({}, experiment_.shape);
    for (const TrafficPath& path : paths_) {
      PathRuns runs;
      if (path.experiment) {
        const bool base = &path == &paths_.front();
        for (const std::size_t step : base ? late_.paid : spread_over_paid())
          runs.steps.push_back(add_run(path, step));
        runs.even = runs_.add(
            path, even, path.micro_batches ? std::vector<RoutingCounts>{even} : std::vector<RoutingCounts>{});
      }
      path_runs_.push_back(std::move(runs));
    }
  }

  // Returns the steps on which other paths are run: every second one of those that are paid, but enough for an interval.
  std::vector<std::size_t> spread_over_paid() const {
    std::vector<std::size_t> steps;
    for (const std::size_t i : other_steps()) steps.push_back(late_.paid[i]);
    return steps;
  }
  std::vector<std::size_t> other_steps() const {
    return spread_over(0, late_.paid.size(), std::max<std::size_t>(kFewestRuns, late_.paid.size() / 2));
  }

  void add_remedies() {
    const TrafficPath& base = paths_.front();
    std::vector<std::size_t> early_base;
    for (const std::size_t step : early_.paid) early_base.push_back(add_run(base, step));
    for (const ExpertPlacement& placement : placements_for(options_.redundant)) {
      late_runs_.push_back(
          add_placement(placement, base, result_.steps, late_, path_runs_.front().steps, runs_));
      early_runs_.push_back(add_placement(placement, base, result_.steps, early_, early_base, runs_));
    }
    none_ = streams_path(experiment_, "none");
    feplb_ = streams_path(experiment_, "feplb");
    late_runs_.push_back(add_feplb(late_));
    early_runs_.push_back(add_feplb(early_));
  }

  // FEPLB moves experts in each step, and pays for that in each.
  RemedyRuns add_feplb(const RecordPart& part) {
    RemedyRuns remedy{
        .name = "FEPLB", .on = kStreamsPath, .with = {}, .without = {}, .busiest = {}, .move = {}};
    for (const std::size_t step : part.paid) {
      remedy.with.push_back(add_run(feplb_, step));
      remedy.without.push_back(add_run(none_, step));
    }
    return remedy;
  }

  void add_sizes() {
    const std::uint32_t tokens = experiment_.shape.tokens;
    std::vector<std::uint32_t> sizes{tokens};
    for (std::uint32_t smaller = tokens / 4; smaller > 0 && sizes.size() < 4; smaller /= 4)
      sizes.push_back(smaller);
    for (const std::uint32_t size : sizes) {
      result_.sizes.push_back({size, {}, 0});
      std::vector<std::vector<std::size_t>> numbers;
      const std::vector<RoutingCounts> steps = size == tokens ? result_.steps : dealt(size);
      for (std::size_t p = 0; p < path_runs_.size(); ++p) {
        std::vector<std::size_t> of_path;
        if (paths_[p].experiment) {
          if (size == tokens) {
            of_path = path_runs_[p].steps;
          } else {
            sized_.push_back(with_tokens(paths_[p], size));
            for (const std::size_t step : spread_over(steps.size() / 2, steps.size(), 3))
              of_path.push_back(
                  runs_.add(sized_.back(), steps[step], steps_before_if(sized_.back(), steps, step)));
          }
        }
        numbers.push_back(std::move(of_path));
      }
      size_runs_.push_back(std::move(numbers));
    }
  }

  static std::vector<RoutingCounts> steps_before_if(const TrafficPath& path,
                                                    const std::vector<RoutingCounts>& steps,
                                                    std::size_t step) {
    return path.micro_batches ? steps_before(steps, step) : std::vector<RoutingCounts>{};
  }

  static TrafficPath with_tokens(const TrafficPath& path, std::uint32_t tokens) {
    TrafficPath sized = path;
    try {
      const std::vector<std::string> change{fmt::format("model.tokens={}", tokens)};
      sized.experiment = std::make_shared<const Experiment>(path.experiment->with(change));
    } catch (const InputError& error) {
      sized.experiment = nullptr;
      sized.refused = error.what();
    }
    return sized;
  }

  // Returns the times of these runs; none if one did not run.
  Latencies times_of(const std::vector<std::size_t>& numbers, std::string& refused) const {
    Latencies times;
    for (const std::size_t run : numbers) {
      if (refused.empty()) refused = runs_.refused(run);
      times.push_back(runs_.at(run));
    }
    if (!refused.empty()) times.clear();
    return times;
  }

  void take_paths() {
    const Latencies& base = result_.paths.emplace_back(path_cost(0)).steps;
    if (!result_.paths.front().refused.empty()) throw RunError(result_.paths.front().refused);
    Latencies same;
    for (const std::size_t i : other_steps()) same.push_back(base[i]);
    for (std::size_t p = 1; p < paths_.size(); ++p) {
      PathCost cost = path_cost(p);
      if (cost.refused.empty()) cost.apart = relative_difference(cost.steps, same);
      result_.paths.push_back(std::move(cost));
    }
  }

  PathCost path_cost(std::size_t p) const {
    PathCost cost{paths_[p].name, paths_[p].refused, {}, {}, {}};
    if (!cost.refused.empty()) return cost;
    cost.steps = times_of(path_runs_[p].steps, cost.refused);
    if (cost.refused.empty()) cost.refused = runs_.refused(path_runs_[p].even);
    if (cost.refused.empty()) cost.even = runs_.at(path_runs_[p].even);
    return cost;
  }

  void take_remedies() {
    for (std::size_t i = 0; i < late_runs_.size(); ++i) {
      const RemedyRuns& runs = late_runs_[i];
      BalanceRemedy remedy;
      remedy.name = runs.name;
      remedy.on = runs.on;
      const Latencies with = times_of(runs.with, remedy.refused),
                      without = times_of(runs.without, remedy.refused);
      const Latencies early = times_of(early_runs_[i].with, remedy.refused),
                      early_without = times_of(early_runs_[i].without, remedy.refused);
      if (remedy.refused.empty())
        measure(remedy, runs, {with, without, early, early_without}, early_runs_[i].move.time);
      result_.remedies.push_back(std::move(remedy));
    }
    choose();
  }

  struct RemedyTimes {
    const Latencies &with, &without, &early, &early_without;
  };
  void measure(BalanceRemedy& remedy, const RemedyRuns& runs, const RemedyTimes& times,
               Duration early_move) const {
    remedy.move = runs.move;
    remedy.again = runs.again;
    const std::vector<double> saved = saved_parts(times.with, times.without);
    remedy.gain = median_interval(saved);
    remedy.horizon = runs.again > 0        ? runs.again
                     : has_worn_off(saved) ? static_cast<double>(result_.rest)
                                           : 0;
    remedy.net = median_interval(saved_parts(times.with, times.without, remedy.move.time, remedy.horizon));
    // Streams that are balanced must also be faster than what is configured, or nobody takes them for balance.
    if (!paths_.front().micro_batches && runs.move.bytes == 0) {
      const MedianInterval own = median_interval(saved_parts(times.with, result_.paths.front().steps));
      if (runs.on == kStreamsPath && own.median < remedy.net.median) remedy.net = own;
    }
    remedy.promised = median_interval(saved_parts(times.early, times.early_without, early_move, runs.again));
    remedy.busiest = runs.busiest.empty() ? 1 : median(runs.busiest);
    remedy.saved = median_of(times.without) - median_of(times.with);
    if (remedy.gain.median > 0)
      remedy.break_even =
          std::ceil(seconds(remedy.move.time) / (remedy.gain.median * seconds(median_of(times.without))));
    remedy.verdict = verdict_of(remedy.net, options_.least);
    remedy.unseen =
        remedy.verdict == BalanceVerdict::kDo && remedy.break_even > static_cast<double>(result_.rest);
    if (remedy.unseen) remedy.verdict = BalanceVerdict::kUndecided;
  }

  // Takes the best of those that pay, else the best of those that may, else the best.
  void choose() {
    const auto better = [](const BalanceRemedy& a, const BalanceRemedy& b) {
      if (a.refused.empty() != b.refused.empty()) return a.refused.empty();
      const auto rank = [](const BalanceRemedy& r) {
        return r.verdict == BalanceVerdict::kDo ? 0 : r.verdict == BalanceVerdict::kUndecided ? 1 : 2;
      };
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      return a.net.median > b.net.median;
    };
    const auto best = std::ranges::min_element(result_.remedies, better);
    result_.best = static_cast<std::size_t>(best - result_.remedies.begin());
  }

  void take_sizes() {
    for (std::size_t s = 0; s < result_.sizes.size(); ++s) {
      SizeCost& size = result_.sizes[s];
      for (const std::vector<std::size_t>& numbers : size_runs_[s]) {
        std::string refused;
        const Latencies times = times_of(numbers, refused);
        size.paths.push_back(times.empty() ? Duration{} : median_of(times));
      }
      for (std::size_t p = 0; p < size.paths.size(); ++p)
        if (size.paths[p] > Duration{} && size.paths[p] < size.paths[size.fastest]) size.fastest = p;
    }
    std::ranges::sort(result_.sizes, {}, &SizeCost::tokens);
  }

  // The first half decides on what the second quarter has paid, the second half pays.
  void take_regret() {
    const std::vector<BalanceRemedy>& remedies = result_.remedies;
    double promised = options_.least, best = 0;
    result_.chosen_early = remedies.size();
    for (std::size_t i = 0; i < remedies.size(); ++i) {
      if (!remedies[i].refused.empty()) continue;
      best = std::max(best, remedies[i].net.median);
      if (remedies[i].promised.median <= promised || remedies[i].promised.low <= 0) continue;
      promised = remedies[i].promised.median;
      result_.chosen_early = i;
    }
    result_.paid_early =
        result_.chosen_early < remedies.size() ? remedies[result_.chosen_early].net.median : 0;
    result_.regret = best - result_.paid_early;
  }

  struct PathRuns {
    std::vector<std::size_t> steps;
    std::size_t even = 0;
  };

  const TrafficLog& log_;
  const Experiment& experiment_;
  const DecideOptions& options_;
  TrafficDecision result_;
  RecordPart late_, early_;
  TrafficRuns runs_;
  std::deque<TrafficPath> paths_, sized_;
  TrafficPath none_, feplb_;
  std::vector<PathRuns> path_runs_;
  std::vector<RemedyRuns> late_runs_, early_runs_;
  std::vector<std::vector<std::vector<std::size_t>>> size_runs_;  // by size, then path
};

}  // namespace

BalanceVerdict verdict_of(const MedianInterval& net, double least) {
  if (net.low > 0 && net.median >= least) return BalanceVerdict::kDo;
  if (net.high <= 0 || (net.median < least && net.high < 2 * least)) return BalanceVerdict::kDoNot;
  return BalanceVerdict::kUndecided;
}

TrafficDecision decide(const TrafficLog& log, std::uint32_t layer, const Experiment& experiment,
                       const DecideOptions& options) {
  return Decider(log, layer, experiment, options).decide();
}

}  // namespace a3sim
