#include "sim/search/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "sim/core/statistics.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/run/bounds.h"
#include "sim/experiment/run/run_outcome.h"

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

// A choice that was reverted, and the candidate without it.
struct Reversal {
  const Choice* choice;
  RevertedChoice reverted;
  ScoredCandidate without;
};

// Reverts each choice of the winner alone. All of them run together.
std::vector<Reversal> reversals_of(const std::vector<Choice>& choices, const Candidate& start,
                                   const SearchOutcome& outcome, SearchObjective objective,
                                   LastStage& stage) {
  const ScoredCandidate& winner = outcome.winner();
  std::vector<Candidate> without;
  std::vector<Reversal> reversals;
  for (const Choice& choice : choices) {
    std::optional<Candidate> candidate = reverted(choice, winner.candidate, start);
    if (!candidate) continue;
    without.push_back(std::move(*candidate));
    reversals.push_back(
        {&choice, {choice.decision, choice.text(winner.candidate), choice.text(start), 0, false}, {}});
  }
  std::vector<ScoredCandidate> scored = stage.scored(without);
  for (std::size_t i = 0; i < scored.size(); ++i) {
    RevertedChoice& of_choice = reversals[i].reverted;
    of_choice.loss = scored[i].finished()
                         ? arithmetic_mean(scored[i].scenarios) - arithmetic_mean(winner.scenarios)
                         : std::nan("");
    of_choice.too_slow_under = too_slow_under(outcome, objective, scored[i]);
    reversals[i].without = std::move(scored[i]);
  }
  return reversals;
}

// Takes back those choices that alone gain nothing, one after the other, as long as the winner stays as fast.
void drop_idle(std::vector<Reversal>& reversals, const Candidate& start, ScoredCandidate& winner,
               LastStage& stage) {
  const double allowed = *winner.scores.back() + kNoLoss;
  bool changed = false;
  for (Reversal& reversal : reversals) {
    if (!reversal.without.finished() || *reversal.without.scores.back() > allowed) continue;
    const std::optional<Candidate> without = reverted(*reversal.choice, winner.candidate, start);
    if (!without) continue;
    ScoredCandidate simpler =
        changed ? stage.scored(std::span(&*without, 1)).front() : std::move(reversal.without);
    if (!simpler.finished() || *simpler.scores.back() > allowed) continue;
    reversal.reverted.dropped = changed = true;
    simpler.number = winner.number;
    std::ranges::copy(std::span(winner.scores).first(winner.scores.size() - 1), simpler.scores.begin());
    winner = std::move(simpler);
  }
}

}  // namespace

std::vector<RevertedChoice> simplify(const SearchProblem& problem, const SearchOptions& options,
                                     SearchOutcome& outcome, CandidateRuns& runs, bool take_back) {
  if (outcome.winner().number == 0) return {};
  const std::vector<Choice> choices = choices_of(problem, true);
  const Candidate start = reference_of(problem, outcome);
  LastStage stage(options, outcome, runs);
  std::vector<Reversal> reversals = reversals_of(choices, start, outcome, options.objective, stage);
  if (take_back) drop_idle(reversals, start, outcome.candidates[outcome.best], stage);
  std::vector<RevertedChoice> reverted;
  for (Reversal& reversal : reversals) reverted.push_back(std::move(reversal.reverted));
  // Those without which it cannot run come first, then those that cost most.
  std::ranges::stable_sort(reverted, {}, [](const RevertedChoice& choice) {
    return std::pair(choice.dropped, std::isnan(choice.loss) ? -1.0 : -choice.loss);
  });
  return reverted;
}

std::optional<ScoredCandidate> scored_with_order(const SearchProblem& problem, const SearchOptions& options,
                                                 const SearchOutcome& outcome, CandidateRuns& runs,
                                                 const ScoredCandidate& candidate, std::size_t start) {
  Candidate shipped = problem.from_start(start);
  for (std::size_t d = 0; d < shipped.settings.size(); ++d) {
    const NamedSettings& value = problem.space().decisions[d].values[candidate.candidate.settings[d]];
    const auto of_order = [](const std::string& setting) { return setting.starts_with("order."); };
    if (std::ranges::none_of(value.settings, of_order)) shipped.settings[d] = candidate.candidate.settings[d];
  }
  ScoredCandidate scored = LastStage(options, outcome, runs).scored(std::span(&shipped, 1)).front();
  if (!scored.finished()) return std::nullopt;
  scored.number = candidate.number;
  std::ranges::copy(std::span(candidate.scores).first(candidate.scores.size() - 1), scored.scores.begin());
  return scored;
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
