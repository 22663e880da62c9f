#include "sim/study/search/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "sim/core/statistics.h"
#include "sim/experiment/bounds.h"
#include "sim/experiment/order_file.h"
#include "sim/experiment/run_outcome.h"

namespace a3sim {
namespace {

constexpr double kNoLoss = 1e-4;

// A part of a candidate that can be taken from another candidate.
struct Choice {
  std::string decision;
  std::function<std::string(const Candidate&)> text;
  std::function<void(Candidate&, const Candidate&)> take;  // takes it from the other one
};

Choice whole_queue(const SearchProblem& problem, std::size_t queue) {
  return {problem.queue_name(queue),
          [&problem, queue](const Candidate& candidate) {
            return fmt::format("[{}]", fmt::join(problem.keys(candidate, queue), ", "));
          },
          [queue](Candidate& to, const Candidate& from) { to.queues[queue] = from.queues[queue]; }};
}

Choice picked_key(const SearchProblem& problem, std::size_t queue, std::size_t term) {
  const KeyTerm& of_term = problem.space().terms[queue % kCoreUnits][term];
  return {problem.queue_name(queue) + ' ' + of_term.name,
          [&of_term, queue, term](const Candidate& candidate) {
            if (candidate.queues[queue].keys_of > 0) return std::string("(other keys)");
            const std::string& key = of_term.keys[candidate.queues[queue].picks[term]];
            return key.empty() ? std::string("left out") : key;
          },
          [queue, term](Candidate& to, const Candidate& from) {
            if (to.queues[queue].keys_of == 0 && from.queues[queue].keys_of == 0)
              to.queues[queue].picks[term] = from.queues[queue].picks[term];
          }};
}

Choice setting(const SearchProblem& problem, std::size_t decision) {
  const SearchDecision& search_decision = problem.space().decisions[decision];
  return {
      search_decision.name,
      [&search_decision, decision](const Candidate& candidate) {
        return search_decision.values[candidate.settings[decision]].name;
      },
      [decision](Candidate& to, const Candidate& from) { to.settings[decision] = from.settings[decision]; }};
}

// Returns the choices. Whole queues come before the keys in them.
std::vector<Choice> choices_of(const SearchProblem& problem, bool whole_queues) {
  std::vector<Choice> choices;
  for (std::size_t queue = 0; queue < problem.parts().size() * kCoreUnits; ++queue) {
    if (!problem.is_open(queue)) continue;
    if (whole_queues) choices.push_back(whole_queue(problem, queue));
    const std::vector<KeyTerm>& terms = problem.space().terms[queue % kCoreUnits];
    for (std::size_t term = 0; term < terms.size(); ++term) {
      if (terms[term].keys.size() > 1) choices.push_back(picked_key(problem, queue, term));
    }
  }
  for (std::size_t d = 0; d < problem.space().decisions.size(); ++d) choices.push_back(setting(problem, d));
  if (problem.starts().size() > 1) {
    choices.push_back(
        {"other entries of the order",
         [&problem](const Candidate& candidate) { return problem.starts()[candidate.rest_of].name; },
         [](Candidate& to, const Candidate& from) { to.rest_of = from.rest_of; }});
  }
  return choices;
}

std::optional<Candidate> reverted(const Choice& choice, const Candidate& winner, const Candidate& start) {
  Candidate without = winner;
  choice.take(without, start);
  if (without == winner) return std::nullopt;
  return without;
}

Candidate reference_of(const SearchProblem& problem, const SearchOutcome& outcome) {
  std::size_t start = outcome.reference;
  if (!problem.starts()[start].sorted) start = 0;
  return problem.from_start(start);
}

// Runs candidates in the last stage of the ladder.
class LastStage {
 public:
  LastStage(const SearchOptions& options, const SearchOutcome& outcome, CandidateRuns& runs)
      : options_(options), outcome_(outcome), runs_(runs) {}

  // Returns one entry per candidate. A refused one has no score.
  std::vector<ScoredCandidate> scored(std::span<const Candidate> candidates) {
    std::vector<ScoredCandidate> scored;
    const auto outcomes = runs_.run(candidates, outcome_.ladder.back());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      scored.push_back({.candidate = candidates[i]});
      scored.back().scores.resize(outcome_.ladder.size());
      take_runs(scored.back(), outcome_.reference_runs, outcomes[i], options_.objective);
    }
    return scored;
  }

 private:
  const SearchOptions& options_;
  const SearchOutcome& outcome_;
  CandidateRuns& runs_;
};

// The winner's outcomes, one per scenario, and whether its keys ran there.
struct WinnerRuns {
  std::vector<CandidateOutcome> outcomes;
  std::vector<bool> by_keys;
};

// Runs the order if there is one and it fits, and otherwise the winner's keys.
WinnerRuns run_winner(const SearchStage& stage, const Candidate& winner, CandidateRuns& runs,
                      const NamedOrder* order) {
  if (!order)
    return {runs.run(std::span(&winner, 1), stage).front(), std::vector<bool>(stage.scenarios.size())};
  WinnerRuns run{runs.run_orders(winner, std::span(order, 1), stage).front(), {}};
  SearchStage refused{stage.name, {}};
  for (std::size_t s = 0; s < stage.scenarios.size(); ++s) {
    run.by_keys.push_back(!run.outcomes[s].refused.empty());
    if (run.by_keys[s]) refused.scenarios.push_back(stage.scenarios[s]);
  }
  if (refused.scenarios.empty()) return run;
  std::vector<CandidateOutcome> by_keys = runs.run(std::span(&winner, 1), refused).front();
  for (std::size_t s = 0, next = 0; s < run.by_keys.size(); ++s) {
    if (run.by_keys[s]) run.outcomes[s] = std::move(by_keys[next++]);
  }
  return run;
}

// Returns the scenario of training in which a candidate loses most, if that alone is why no mean helps it.
std::string too_slow_under(const SearchOutcome& outcome, SearchObjective objective,
                           const ScoredCandidate& scored) {
  if (objective == SearchObjective::kOne || !scored.finished() || scored.worst <= kMostLost) return {};
  const auto worst = std::ranges::max_element(scored.scenarios) - scored.scenarios.begin();
  std::vector<std::string> counted;
  for (std::size_t s = 0; s < outcome.ladder.back().scenarios.size(); ++s)
    if (!outcome.reference_runs.best()[s].empty()) counted.push_back(outcome.ladder.back().scenarios[s].name);
  return counted[static_cast<std::size_t>(worst)];
}

// Reverts choices that gain nothing, one after the other.
std::vector<RevertedChoice> drop_idle(const std::vector<Choice>& choices, const Candidate& start,
                                      ScoredCandidate& winner, LastStage& stage) {
  std::vector<RevertedChoice> dropped;
  const double allowed = *winner.scores.back() + kNoLoss;
  for (const Choice& choice : choices) {
    const std::optional<Candidate> without = reverted(choice, winner.candidate, start);
    if (!without) continue;
    ScoredCandidate simpler = stage.scored(std::span(&*without, 1)).front();
    if (!simpler.finished() || *simpler.scores.back() > allowed) continue;
    dropped.push_back({choice.decision, choice.text(winner.candidate), choice.text(start),
                       *simpler.scores.back() - *winner.scores.back(), true});
    simpler.number = winner.number;
    std::ranges::copy(std::span(winner.scores).first(winner.scores.size() - 1), simpler.scores.begin());
    winner = std::move(simpler);
  }
  return dropped;
}

}  // namespace

std::vector<RevertedChoice> simplify(const SearchProblem& problem, const SearchOptions& options,
                                     SearchOutcome& outcome, CandidateRuns& runs, bool take_back) {
  const std::vector<Choice> choices = choices_of(problem, true);
  const Candidate start = reference_of(problem, outcome);
  LastStage stage(options, outcome, runs);
  ScoredCandidate& winner = outcome.candidates[outcome.best];
  if (winner.number == 0) return {};
  std::vector<RevertedChoice> dropped;
  if (take_back) dropped = drop_idle(choices, start, winner, stage);
  std::vector<Candidate> without;
  std::vector<RevertedChoice> of_winner;
  for (const Choice& choice : choices) {
    std::optional<Candidate> candidate = reverted(choice, winner.candidate, start);
    if (!candidate) continue;
    without.push_back(std::move(*candidate));
    of_winner.push_back({choice.decision, choice.text(winner.candidate), choice.text(start), 0, false});
  }
  const std::vector<ScoredCandidate> scored = stage.scored(without);
  for (std::size_t i = 0; i < scored.size(); ++i) {
    of_winner[i].loss = scored[i].finished()
                            ? arithmetic_mean(scored[i].scenarios) - arithmetic_mean(winner.scenarios)
                            : std::nan("");
    of_winner[i].too_slow_under = too_slow_under(outcome, options.objective, scored[i]);
  }
  std::ranges::stable_sort(of_winner, std::greater(), &RevertedChoice::loss);
  of_winner.insert(of_winner.end(), dropped.begin(), dropped.end());
  return of_winner;
}

std::vector<DecisionEffect> effects_of(const SearchProblem& problem, const SearchOutcome& outcome) {
  const auto score_in = [&](const ScoredCandidate& candidate, std::size_t s) -> std::optional<double> {
    if (s + 1 == outcome.ladder.size() && candidate.stopped) return std::numeric_limits<double>::infinity();
    return candidate.scores[s];
  };
  std::size_t stage = 0;
  std::ptrdiff_t most = 0;
  for (std::size_t s = 0; s < outcome.ladder.size(); ++s) {
    const auto count = std::ranges::count_if(
        outcome.candidates, [&](const ScoredCandidate& one) { return score_in(one, s).has_value(); });
    if (count > most) stage = s, most = count;
  }
  std::vector<double> scores;
  std::vector<const Candidate*> candidates;
  for (const ScoredCandidate& candidate : outcome.candidates) {
    const std::optional<double> score = score_in(candidate, stage);
    if (!score) continue;
    scores.push_back(*score);
    candidates.push_back(&candidate.candidate);
  }
  // Uses ranks, since bad candidates lie far off.
  const std::vector<double> ranks = mean_ranks(scores);
  const double mean = arithmetic_mean(ranks);
  double variance = 0;
  for (const double rank : ranks) variance += (rank - mean) * (rank - mean);
  std::vector<DecisionEffect> effects;
  for (const Choice& choice : choices_of(problem, false)) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < scores.size(); ++i) groups[choice.text(*candidates[i])].push_back(i);
    if (groups.size() < 2) continue;
    DecisionEffect& effect = effects.emplace_back(DecisionEffect{choice.decision, 0, {}});
    for (const auto& [value, members] : groups) {
      std::vector<double> own_scores;
      double own = 0;
      for (const std::size_t i : members) {
        own_scores.push_back(scores[i]);
        own += ranks[i] / static_cast<double>(members.size());
      }
      const double middle = median(own_scores);  // not a number if between two that were stopped
      effect.values.push_back(
          {value, members.size(), std::isnan(middle) ? std::numeric_limits<double>::infinity() : middle});
      effect.share += static_cast<double>(members.size()) * (own - mean) * (own - mean);
    }
    effect.share = variance > 0 ? effect.share / variance : 0;
    std::ranges::stable_sort(effect.values, {}, &ChoiceMedian::median);
  }
  std::ranges::stable_sort(effects, std::greater(), &DecisionEffect::share);
  return effects;
}

HeldOutGain judge(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
                  CandidateRuns& runs, const NamedOrder* order) {
  const SearchStage stage = held_out_stage(problem, options.draws, options.seed, options.over);
  const StageReference reference(problem, stage, runs);
  const WinnerRuns winner = run_winner(stage, outcome.winner().candidate, runs, order);
  const std::vector<CandidateOutcome>& outcomes = winner.outcomes;
  HeldOutGain judged;
  std::vector<double> gains;
  for (std::size_t s = 0; s < stage.scenarios.size(); ++s) {
    HeldOutScenario& scenario =
        judged.scenarios.emplace_back(HeldOutScenario{stage.scenarios[s].name, {}, 0, {}});
    const Latencies& best = reference.best()[s];
    scenario.by_keys = winner.by_keys[s];
    scenario.refused = best.empty() ? "no order to start from fits" : outcomes[s].refused;
    if (!scenario.refused.empty()) continue;
    const Latencies totals = outcomes[s].totals();
    std::vector<double> by_draw;
    for (std::size_t draw = 0; draw < totals.size(); ++draw)
      by_draw.push_back(1 -
                        static_cast<double>(totals[draw].count()) / static_cast<double>(best[draw].count()));
    scenario.gain = arithmetic_mean(by_draw);
    scenario.best_start = problem.starts()[reference.best_start(s)].name;
    gains.push_back(scenario.gain);
  }
  const MeanInterval interval = mean_interval(gains);
  judged.gain = interval.mean;
  judged.low = interval.low;
  judged.high = interval.high;
  return judged;
}

std::vector<std::size_t> front_of(const SearchOutcome& outcome) {
  const auto beats = [](const ScoredCandidate& a, const ScoredCandidate& b) {
    const bool no_worse =
        a.latency_ms <= b.latency_ms && a.vector_workers <= b.vector_workers && a.spread <= b.spread;
    return no_worse &&
           (a.latency_ms < b.latency_ms || a.vector_workers < b.vector_workers || a.spread < b.spread);
  };
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < outcome.candidates.size(); ++i) {
    const ScoredCandidate& own = outcome.candidates[i];
    const auto is_before = [&](std::size_t j) {  // of equal ones, the first stays
      const ScoredCandidate& other = outcome.candidates[j];
      return own.latency_ms == other.latency_ms && own.vector_workers == other.vector_workers &&
             own.spread == other.spread;
    };
    const auto is_beaten = [&](const ScoredCandidate& other) {
      return other.finished() && beats(other, own);
    };
    if (own.finished() && std::ranges::none_of(front, is_before) &&
        std::ranges::none_of(outcome.candidates, is_beaten))
      front.push_back(i);
  }
  std::ranges::stable_sort(front, {}, [&](std::size_t i) { return outcome.candidates[i].latency_ms; });
  return front;
}

std::vector<ScenarioRegret> regrets_of(const SearchOutcome& outcome) {
  const SearchStage& training = outcome.ladder.back();
  std::vector<ScenarioRegret> regrets;
  std::size_t counted = 0;  // scenarios that some start fits
  for (std::size_t s = 0; s < training.scenarios.size(); ++s) {
    if (outcome.reference_runs.best()[s].empty()) continue;
    const std::size_t place = counted++;
    const double own = outcome.winner().scenarios[place];
    double best = own;
    for (const ScoredCandidate& candidate : outcome.candidates) {
      if (candidate.finished()) best = std::min(best, candidate.scenarios[place]);
    }
    regrets.push_back({training.scenarios[s].name, 1 - own, own / best - 1});
  }
  return regrets;
}

BoundDistance bound_distance(const SearchOutcome& outcome, const CandidateRuns& runs,
                             const OrderSpec* order) {
  const SearchScenario scenario{"as configured", {}, JitterOptions::none()};
  const auto distance = [&](const Experiment& experiment) {
    const auto work = experiment.work->prepare(experiment, 1);
    Duration latency{}, bound{};
    for (std::size_t pass = 0; pass < work->passes(); ++pass) {
      latency += work->run(experiment, pass, {}, Duration::max(), Record::kLatency).latency;
      bound += work->bounds(experiment, pass).largest();
    }
    return static_cast<double>(latency.count()) / static_cast<double>(bound.count()) - 1;
  };
  Experiment found = runs.experiment(outcome.winner().candidate, scenario);
  if (order) found = with_order(std::move(found), *order);
  return {distance(runs.start_experiment(outcome.reference, scenario)), distance(found)};
}

}  // namespace a3sim
