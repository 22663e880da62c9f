#include "sim/search/verification.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace a3sim {
namespace {

constexpr std::uint32_t kDrawsAsConfigured = 4;  // fewer leave the noise unknown
constexpr std::size_t kBestElsewhere = 3;        // starts that run in conditions without training
constexpr double kClearlyElsewhere = 0.02;

SearchStage without_noise(SearchStage stage) {
  for (SearchScenario& scenario : stage.scenarios) scenario.jitter = JitterOptions::none();
  return stage;
}

SearchStage with_settings(SearchStage stage, const std::vector<std::string>& settings) {
  for (SearchScenario& scenario : stage.scenarios)
    scenario.settings.insert(scenario.settings.end(), settings.begin(), settings.end());
  return stage;
}

// Runs the order if there is one and it fits, and otherwise the winner's keys. `by_keys` tells which.
std::vector<CandidateOutcome> run_winner(const SearchStage& stage, const Candidate& winner,
                                         CandidateRuns& runs, const NamedOrder* order,
                                         std::vector<bool>& by_keys) {
  by_keys.assign(stage.scenarios.size(), false);
  if (!order) return runs.run(std::span(&winner, 1), stage).front();
  std::vector<CandidateOutcome> outcomes = runs.run_orders(winner, std::span(order, 1), stage).front();
  SearchStage refused{stage.name, {}};
  for (std::size_t s = 0; s < outcomes.size(); ++s) {
    by_keys[s] = !outcomes[s].refused.empty();
    if (by_keys[s]) refused.scenarios.push_back(stage.scenarios[s]);
  }
  if (refused.scenarios.empty()) return outcomes;
  std::vector<CandidateOutcome> of_keys = runs.run(std::span(&winner, 1), refused).front();
  for (std::size_t s = 0, next = 0; s < outcomes.size(); ++s) {
    if (by_keys[s]) outcomes[s] = std::move(of_keys[next++]);
  }
  return outcomes;
}

}  // namespace

double Verification::smallest() const {
  double least = 1;
  for (const VerifiedGain& gain : as_configured) least = std::min(least, gain.gain);
  if (same_settings) least = std::min(least, same_settings->gain);
  if (!elsewhere.empty()) least = std::min(least, mean_elsewhere.mean);
  return least;
}

const VerifiedGain* Verification::denial() const {
  for (const VerifiedGain& gain : as_configured) {
    if (!gain.clear()) return &gain;
  }
  return same_settings && !same_settings->clear() ? &*same_settings : nullptr;
}

bool Verification::holds_elsewhere() const {
  if (elsewhere.empty()) return true;
  if (mean_elsewhere.mean < kLeastGain) return false;
  const auto gains = [](const VerifiedGain& gain) { return gain.gain > 0; };
  return mean_elsewhere.low > 0 ||
         (std::ranges::all_of(elsewhere, gains) && mean_elsewhere.mean > kClearlyElsewhere);
}

std::vector<std::string> all_ranks(const Experiment& experiment) {
  if (experiment.representatives == 0) return {};
  return {"experiment.simulate=all"};
}

Verifier::Verifier(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
                   CandidateRuns& runs)
    : problem_(problem), outcome_(outcome), runs_(runs) {
  for (std::size_t start = 0; start < outcome.starts.size(); ++start)
    if (outcome.starts[start].refused.empty()) starts_.push_back(start);
  std::ranges::stable_sort(starts_, {}, [&](std::size_t start) { return outcome.starts[start].score; });
  const bool one = options.objective == SearchObjective::kOne;
  const std::vector<std::string> all = all_ranks(problem.experiment());
  configured_ = with_settings(configured_stage(options.seed, kDrawsAsConfigured, options.over), all);
  if (!options.over.empty()) return;
  elsewhere_ = with_settings(held_out_stage(problem, options.draws, options.seed), all);
  if (one) elsewhere_ = without_noise(std::move(elsewhere_));
}

// Returns the best starts in training, and those that are best in some scenario of it.
std::vector<std::size_t> Verifier::starts_elsewhere() const {
  std::vector<std::size_t> starts(
      starts_.begin(), starts_.begin() + std::min<std::ptrdiff_t>(kBestElsewhere, std::ssize(starts_)));
  for (std::size_t s = 0; s < outcome_.reference_runs.best().size(); ++s) {
    if (outcome_.reference_runs.best()[s].empty()) continue;
    const std::size_t best = outcome_.reference_runs.best_start(s);
    if (std::ranges::count(starts, best) == 0) starts.push_back(best);
  }
  return starts;
}

// Finds the best start without noise, in runs that end once the best of training is done, and runs that one in all draws.
Verifier::BestStarts Verifier::best_starts(const SearchStage& stage, std::span<const std::size_t> starts) {
  const SearchStage quiet = without_noise(stage);
  const std::size_t scenarios = stage.scenarios.size();
  BestStarts best{std::vector<std::string>(scenarios), std::vector<std::size_t>(scenarios, starts.front()),
                  std::vector<Latencies>(scenarios)};
  std::vector<Duration> least(scenarios, Duration::max());
  const auto compare = [&](std::span<const std::size_t> some) {
    const auto ran = runs_.run_starts(some, quiet, least);
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (std::size_t s = 0; s < scenarios; ++s) {
        const CandidateOutcome& outcome = ran[i][s];
        if (!outcome.refused.empty() && best.refused[s].empty()) best.refused[s] = outcome.refused;
        if (outcome.passes.empty() || outcome.totals().front() >= least[s]) continue;
        least[s] = outcome.totals().front();
        best.start[s] = some[i];
      }
    }
  };
  compare(starts.first(1));
  if (starts.size() > 1) compare(starts.subspan(1));
  for (std::size_t s = 0; s < scenarios; ++s) {
    if (least[s] == Duration::max()) continue;
    best.refused[s].clear();
    best.latencies[s] = runs_.run_start(best.start[s], {stage.name, {stage.scenarios[s]}}).front().totals();
  }
  return best;
}

std::vector<VerifiedGain> Verifier::gains(const SearchStage& stage, const BestStarts& best,
                                          const NamedOrder* order) {
  std::vector<bool> by_keys;
  const auto outcomes = run_winner(stage, outcome_.winner().candidate, runs_, order, by_keys);
  std::vector<VerifiedGain> gains;
  for (std::size_t s = 0; s < stage.scenarios.size(); ++s) {
    VerifiedGain& gain = gains.emplace_back(VerifiedGain{.condition = stage.scenarios[s].name});
    gain.by_keys = by_keys[s];
    gain.refused = best.latencies[s].empty() ? "no order to start from fits" : outcomes[s].refused;
    if (!gain.refused.empty()) continue;
    std::vector<double> by_draw;
    const Latencies totals = outcomes[s].totals();
    for (std::size_t draw = 0; draw < totals.size(); ++draw)
      by_draw.push_back(1 - static_cast<double>(totals[draw].count()) /
                                static_cast<double>(best.latencies[s][draw].count()));
    const MeanInterval interval = mean_interval(by_draw);
    gain.gain = interval.mean;
    gain.low = interval.low;
    gain.high = interval.high;
    gain.start = best.start[s];
    gain.best_start = problem_.starts()[gain.start].name;
  }
  return gains;
}

// Returns the conditions as configured, with the winner's settings.
SearchStage Verifier::own_settings() const {
  return with_settings(configured_, problem_.settings(outcome_.winner().candidate));
}

std::optional<std::size_t> Verifier::start_as_fast() {
  if (problem_.starts().size() < 2 || problem_.settings(outcome_.winner().candidate).empty())
    return std::nullopt;
  const SearchStage quiet = without_noise(own_settings());
  const Candidate& winner = outcome_.winner().candidate;
  const std::vector<CandidateOutcome> found =
      runs_.run(std::span(&winner, 1), without_noise(configured_)).front();
  const auto of_starts = runs_.run_starts(starts_, quiet);
  std::optional<std::size_t> fastest;
  double least = 1 + kLeastGain;  // of the winner's times; the worst condition counts
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    if (!problem_.starts()[starts_[i]].sorted) continue;
    double worst = 0;
    for (std::size_t s = 0; s < found.size(); ++s) {
      const bool ran = !found[s].passes.empty() && !of_starts[i][s].passes.empty();
      worst = std::max(worst, ran ? static_cast<double>(of_starts[i][s].totals().front().count()) /
                                        static_cast<double>(found[s].totals().front().count())
                                  : 2.0);
    }
    if (worst >= least) continue;
    least = worst;
    fastest = starts_[i];
  }
  return fastest;
}

Verification Verifier::verify(const NamedOrder* order, bool own_order) {
  Verification verified;
  if (!of_configured_) of_configured_ = best_starts(configured_, starts_);
  verified.as_configured = gains(configured_, *of_configured_, order);
  if (verified.denial()) return verified;
  if (own_order && problem_.starts().size() > 1 && !problem_.settings(outcome_.winner().candidate).empty()) {
    const SearchStage own = own_settings();
    const std::vector<VerifiedGain> beside = gains(configured_, best_starts(own, starts_), order);
    verified.same_settings = *std::ranges::min_element(beside, {}, &VerifiedGain::gain);
    verified.same_settings->condition = "shipped orders with its settings";
    if (verified.denial()) return verified;
  }
  if (elsewhere_.scenarios.empty()) return verified;
  if (!of_elsewhere_) of_elsewhere_ = best_starts(elsewhere_, starts_elsewhere());
  verified.elsewhere = gains(elsewhere_, *of_elsewhere_, order);
  std::vector<double> means;
  for (const VerifiedGain& gain : verified.elsewhere)
    if (gain.refused.empty()) means.push_back(gain.gain);
  verified.mean_elsewhere = mean_interval(means);
  return verified;
}

}  // namespace a3sim
