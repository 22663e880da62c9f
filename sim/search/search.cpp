#include "sim/search/search.h"

#include <fmt/format.h>
#include <spdlog/stopwatch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/core/error.h"
#include "sim/core/progress.h"
#include "sim/core/rng.h"
#include "sim/core/statistics.h"
#include "sim/search/candidate_generator.h"

namespace a3sim {
namespace {

constexpr std::size_t kPartUp = 3;  // one in so many climbs a rung
constexpr double kLeastCorrelation = 0.7;

// Returns Spearman's rank correlation, with mean ranks for equal numbers: 1 if all of `b` are equal, 0 if all of `a` alone are.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = mean_ranks(a), y = mean_ranks(b);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (yy <= 0) return 1;
  return xx > 0 ? xy / std::sqrt(xx * yy) : 0;
}

class Search {
 public:
  Search(const SearchProblem& problem, const SearchOptions& options, CandidateRuns& runs)
      : problem_(problem),
        options_(options),
        runs_(runs),
        proposer_(Proposers::get(options.method)),
        ranking_(problem, options, proposer_, outcome_, skipped_),
        generator_(problem, options, proposer_, runs, ranking_, outcome_) {
    outcome_.ladder = ladder_of(problem, options.objective, options.draws, options.seed, options.over);
    outcome_.ways = {{"listed"}, {"joined"}};
    for (const std::string_view name : proposer_.ways()) outcome_.ways.push_back({std::string(name)});
  }

  SearchOutcome run() {
    const spdlog::stopwatch watch;
    run_starts();
    generator_.take_schedules();
    tell();
    Progress progress("candidates", options_.budget);
    while (outcome_.proposed < options_.budget) {
      const std::size_t first = outcome_.candidates.size();
      if (!generator_.propose()) break;
      climb(first);
      count_kept(first);
      if (first_generation_) compare_rungs();
      first_generation_ = false;
      progress.reach(outcome_.proposed, fmt::format("{:+.2f} %", 100 * (best_score() - 1)));
      tell();
    }
    outcome_.best = ranking_.ranked().front();
    outcome_.reference_runs = references_.back();
    outcome_.seconds = watch.elapsed().count();
    return std::move(outcome_);
  }

 private:
  std::size_t last() const { return outcome_.ladder.size() - 1; }
  const SearchStage& stage(std::size_t s) const { return outcome_.ladder[s]; }
  double best_score() const { return outcome_.curve.empty() ? 1 : outcome_.curve.back(); }

  void tell() {
    const std::vector<std::size_t> order = ranking_.ranked();
    if (!options_.seen || order.empty()) return;
    outcome_.best = order.front();
    options_.seen(outcome_);
  }

  void run_starts() {
    for (const SearchStage& stage : outcome_.ladder) references_.emplace_back(problem_, stage, runs_);
    skipped_.assign(outcome_.ladder.size(), false);
    for (std::size_t s = 0; s < last(); ++s)
      skipped_[s] = std::ranges::all_of(references_[s].best(), [](const Latencies& l) { return l.empty(); });
    for (std::size_t start = 0; start < problem_.starts().size(); ++start) add_start(start);
    const auto fits = [](const StartScore& start) { return start.refused.empty(); };
    if (std::ranges::none_of(outcome_.starts, fits)) throw InputError(outcome_.starts.front().refused);
    for (std::size_t s = 0; s < outcome_.starts.size(); ++s) {
      const StartScore &score = outcome_.starts[s], &best = outcome_.starts[outcome_.reference];
      if (fits(score) && (!fits(best) || score.score < best.score)) outcome_.reference = s;
    }
  }

  void add_start(std::size_t start) {
    const StageReference& reference = references_.back();
    const std::vector<CandidateOutcome>& outcomes = reference.starts()[start];
    StartScore& score = outcome_.starts.emplace_back(
        StartScore{problem_.starts()[start].name, reference.refused()[start], 0});
    if (const auto ratios = reference.ratios(outcomes)) score.score = score_of(*ratios, options_.objective);
    if (!score.refused.empty() || !problem_.starts()[start].sorted) return;
    ScoredCandidate scored{.candidate = problem_.from_start(start)};
    for (std::size_t s = 0; s < outcome_.ladder.size(); ++s) take(scored, s, references_[s].starts()[start]);
    if (generator_.take_start(scored.candidate)) outcome_.candidates.push_back(std::move(scored));
  }

  // Takes the results of a candidate in a stage.
  void take(ScoredCandidate& scored, std::size_t s, const std::vector<CandidateOutcome>& outcomes) {
    scored.scores.resize(outcome_.ladder.size());
    scored.parts.resize(outcome_.ladder.size());
    const auto ratios = references_[s].ratios(outcomes);
    if (!ratios) {
      for (const CandidateOutcome& outcome : outcomes) {
        if (scored.refused.empty()) scored.refused = outcome.refused;
        scored.stopped = scored.stopped || outcome.stopped;
      }
      return;
    }
    if (s != last())
      scored.scores[s] = score_of(*ratios, SearchObjective::kOne);
    else
      take_runs(scored, references_[s], outcomes, options_.objective);
    if (problem_.parts().size() == problem_.experiment().passes.size())
      scored.parts[s] = parts_of(outcomes, references_[s]);
  }

  std::vector<double> parts_of(const std::vector<CandidateOutcome>& outcomes,
                               const StageReference& reference) const {
    std::vector<double> parts(problem_.parts().size(), 0);
    double runs = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const Latencies& best = reference.best()[i];
      runs += static_cast<double>(best.size());
      for (std::size_t p = 0; p < parts.size() && !best.empty(); ++p) {
        for (std::size_t draw = 0; draw < best.size(); ++draw)
          parts[p] += static_cast<double>(outcomes[i].passes[p][draw].count()) /
                      static_cast<double>(best[draw].count());
      }
    }
    for (double& part : parts) part /= runs;
    return parts;
  }

  // Returns the time from which a candidate can become neither a parent nor the best of its lineage. With several parts
  // there is no limit, since parts may be joined with those of others. Candidates with fewer workers than the best stay in
  // the front of objectives, so that they run to their end.
  StageLimit limit_of(std::size_t s) const {
    if (!options_.early_stop || s != last() || first_generation_ || problem_.parts().size() > 1 ||
        options_.objective != SearchObjective::kOne)
      return {};
    const std::vector<std::size_t> order = ranking_.ranked_as_parents(), best = ranking_.parents(order),
                                   leading = ranking_.leaders(order);
    if (best.empty() || best.size() < proposer_.parents() || leading.size() < ranking_.followed()) return {};
    const double least = std::max(ranking_.as_parent(best.back()), ranking_.as_parent(leading.back()));
    const auto total = static_cast<double>(references_[s].best().front().front().count());
    return {Duration(static_cast<std::int64_t>(least * total) + 1),
            outcome_.candidates[ranking_.ranked().front()].vector_workers};
  }

  // Counts the candidates from `first` on, and those of them that are parents now.
  void count_kept(std::size_t first) {
    for (std::size_t i = first; i < outcome_.candidates.size(); ++i)
      ++outcome_.ways[outcome_.candidates[i].way].tried;
    for (const std::size_t i : ranking_.parents(ranking_.ranked_as_parents()))
      if (i >= first) ++outcome_.ways[outcome_.candidates[i].way].kept;
  }

  // Runs the generation from `first` on in stage after stage, fewer candidates in each.
  void climb(std::size_t first) {
    std::vector<std::size_t> climbing(outcome_.candidates.size() - first);
    std::iota(climbing.begin(), climbing.end(), first);
    for (std::size_t s = 0; s <= last() && !climbing.empty(); ++s) {
      if (skipped_[s]) continue;
      climbing = run_stage(s, climbing);
      if (s < last() && !first_generation_) climbing = upper_part(s, std::move(climbing));
    }
    for (std::size_t i = first; i < outcome_.candidates.size(); ++i) {
      const ScoredCandidate& candidate = outcome_.candidates[i];
      if (candidate.stopped) {
        ++outcome_.stopped;
      } else if (std::ranges::none_of(candidate.scores, [](const auto& s) { return s.has_value(); })) {
        ++outcome_.refused;
      }
      outcome_.curve.push_back(
          std::min(best_score(), candidate.finished() ? *candidate.scores.back() : best_score()));
    }
  }

  // Returns those that continue, also those that a cheaper run refuses; these have no score.
  std::vector<std::size_t> run_stage(std::size_t s, const std::vector<std::size_t>& climbing) {
    std::vector<Candidate> candidates;
    for (const std::size_t i : climbing) candidates.push_back(outcome_.candidates[i].candidate);
    const auto outcomes = runs_.run(candidates, stage(s), limit_of(s));
    std::vector<std::size_t> on;
    for (std::size_t i = 0; i < climbing.size(); ++i) {
      ScoredCandidate& scored = outcome_.candidates[climbing[i]];
      take(scored, s, outcomes[i]);
      if (scored.scores[s] || s == 0) on.push_back(climbing[i]);
    }
    return on;
  }

  // Returns the best third of each lineage.
  std::vector<std::size_t> upper_part(std::size_t s, std::vector<std::size_t> climbing) const {
    std::ranges::stable_sort(climbing, {},
                             [&](std::size_t i) { return outcome_.candidates[i].scores[s].value_or(1); });
    std::map<Lineage, std::size_t> left;
    for (const std::size_t i : climbing) ++left[outcome_.candidates[i].lineage];
    for (auto& [lineage, candidates] : left) candidates = (candidates + kPartUp - 1) / kPartUp;
    std::erase_if(climbing, [&](std::size_t i) {
      std::size_t& up = left[outcome_.candidates[i].lineage];
      if (up == 0) return true;
      --up;
      return false;
    });
    return climbing;
  }

  // Runs after the first generation, which climbs as a whole: leaves out stages that do not predict the
  // next one.
  void compare_rungs() {
    for (std::size_t s = 0; s < last(); ++s) {
      if (skipped_[s]) continue;
      std::vector<double> lower, upper;
      for (const ScoredCandidate& candidate : outcome_.candidates) {
        if (!candidate.scores[s] || !candidate.scores[s + 1]) continue;
        lower.push_back(*candidate.scores[s]);
        upper.push_back(*candidate.scores[s + 1]);
      }
      const double correlation = rank_correlation(lower, upper);
      skipped_[s] = correlation < kLeastCorrelation;
      outcome_.correlations.push_back(
          {stage(s).name, stage(s + 1).name, lower.size(), correlation, skipped_[s]});
    }
  }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  CandidateRuns& runs_;
  const Proposer& proposer_;
  SearchOutcome outcome_;
  std::vector<StageReference> references_;  // one per stage
  std::vector<bool> skipped_;               // one per stage
  CandidateRanking ranking_;
  CandidateGenerator generator_;
  bool first_generation_ = true;
};

}  // namespace

void take_runs(ScoredCandidate& scored, const StageReference& reference,
               const std::vector<CandidateOutcome>& outcomes, SearchObjective objective) {
  const auto ratios = reference.ratios(outcomes);
  if (!ratios) return;
  constexpr double kPicosecondsPerMs = 1e9;
  scored.scores.back() = score_of(*ratios, objective);
  scored.scenarios.clear();
  for (const std::vector<double>& values : *ratios) scored.scenarios.push_back(arithmetic_mean(values));
  scored.worst = std::ranges::max(scored.scenarios);
  scored.vector_workers = outcomes.front().vector_workers;
  std::vector<double> means, spreads;
  for (std::size_t s = 0; s < outcomes.size(); ++s) {
    if (reference.best()[s].empty()) continue;
    std::vector<double> ms;
    for (const Duration total : outcomes[s].totals())
      ms.push_back(static_cast<double>(total.count()) / kPicosecondsPerMs);
    means.push_back(arithmetic_mean(ms));
    const auto [least, most] = std::ranges::minmax(ms);
    spreads.push_back((most - least) / means.back());
  }
  scored.latency_ms = arithmetic_mean(means);
  scored.spread = arithmetic_mean(spreads);
}

SearchOutcome search(const SearchProblem& problem, const SearchOptions& options, CandidateRuns& runs) {
  if (problem.empty())
    throw InputError(
        fmt::format("space {} leaves {} nothing to choose", problem.space().name, problem.experiment().name));
  return Search(problem, options, runs).run();
}

}  // namespace a3sim
