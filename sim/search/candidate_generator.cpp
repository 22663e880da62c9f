#include "sim/search/candidate_generator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace a3sim {
namespace {

constexpr std::size_t kFirstGeneration = 12, kGeneration = 6;  // candidates proposed together
constexpr std::size_t kPartListed = 6;  // one in so many of a later generation is one that the method lists
constexpr std::size_t kMostProposals = 480;  // proposals for a generation, before a method has nothing new

std::string key_of(const SearchProblem& problem, const Candidate& candidate) {
  return fmt::format("{}\n{}", problem.order_text(candidate), fmt::join(problem.settings(candidate), "\n"));
}

}  // namespace

bool CandidateGenerator::take_start(const Candidate& start) {
  if (!known_.insert(key_of(problem_, start)).second) return false;
  for (std::size_t part = 0; part < problem_.parts().size(); ++part)
    known_parts_.insert(part_key(start, part));
  return true;
}

void CandidateGenerator::take_schedules() {
  if (!proposer_.distinct()) return;
  std::vector<Candidate> starts;
  for (const ScoredCandidate& start : outcome_.candidates) starts.push_back(start.candidate);
  for (std::string& schedules : runs_.schedules_of(starts, outcome_.ladder))
    schedules_.insert(std::move(schedules));
}

std::vector<ParentCandidate> CandidateGenerator::parent_candidates(
    const std::vector<std::size_t>& positions) const {
  std::vector<ParentCandidate> parents;
  for (const std::size_t i : positions)
    parents.push_back({outcome_.candidates[i].candidate, outcome_.candidates[i].lineage,
                       *outcome_.candidates[i].scores.back(), i});
  return parents;
}

// Returns what to try first: parts and changes that gained, together.
std::deque<Proposal> CandidateGenerator::joined_proposals(const std::vector<std::size_t>& order,
                                                          Lineage lineage) const {
  std::deque<Proposal> joined;
  if (proposer_.parents() == 0) return joined;
  const auto known = [&](const Candidate& candidate) { return known_.contains(key_of(problem_, candidate)); };
  if (std::optional<Candidate> together = joins_.best_parts(order, known))
    joined.push_back({std::move(*together), kJoined, lineage});
  if (!proposer_.distinct()) return joined;
  for (Candidate& candidate : joins_.exchanged_parts(order))
    joined.push_back({std::move(candidate), kJoined, lineage});
  for (Proposal& proposal : joins_.united_changes(last_generation_)) {
    proposal.way = kJoined;
    joined.push_back(std::move(proposal));
  }
  return joined;
}

bool CandidateGenerator::propose() {
  const bool first_generation = generation_ == 0;
  const std::vector<std::size_t> order = ranking_.ranked_as_parents();
  const Parents parents_now{parent_candidates(ranking_.parents(order)),
                            parent_candidates(ranking_.leaders(order)),
                            [&](const Candidate& candidate, std::size_t part) {
                              return known_parts_.contains(part_key(candidate, part));
                            }};
  const ParentCandidate& best = parents_now.best.front();
  const std::size_t size = std::min<std::size_t>(first_generation ? kFirstGeneration : kGeneration,
                                                 options_.budget - outcome_.proposed);
  const std::size_t first = outcome_.candidates.size();
  std::deque<Proposal> joined = joined_proposals(order, best.lineage);
  last_generation_ = first;
  const Lineage lineage = first_generation ? Lineage::kListed : best.lineage;
  for (Candidate& candidate : proposer_.opening(problem_, best.candidate, generation_))
    waiting_.push_back({std::move(candidate), kListed, lineage});
  ++generation_;
  const auto next_of = [](std::deque<Proposal>& proposals) {
    return [&]() -> std::optional<Proposal> {
      if (proposals.empty()) return std::nullopt;
      Proposal proposal = std::move(proposals.front());
      proposals.pop_front();
      return proposal;
    };
  };
  add(next_of(joined), first + size);
  // A part of a later generation, so that a small budget is not spent on them alone.
  add(next_of(waiting_),
      std::min(first + size, outcome_.candidates.size() + (first_generation ? size : size / kPartListed)));
  const auto proposed = [&]() -> std::optional<Proposal> {
    Proposal proposal = proposer_.propose(problem_, parents_now, streams_);
    proposal.way += kOwnWays;
    return proposal;
  };
  add(proposed, first + size);
  return outcome_.candidates.size() > first;
}

// Adds proposals until there are `most` candidates, or there is no other proposal, or too many have been tried.
template <typename Next>
void CandidateGenerator::add(const Next& next, std::size_t most) {
  for (std::size_t tried = 0; tried < kMostProposals && outcome_.candidates.size() < most;) {
    std::vector<Proposal> proposals;
    std::vector<Candidate> candidates;
    bool more = true;
    while (more && proposals.size() < most - outcome_.candidates.size() && tried++ < kMostProposals) {
      std::optional<Proposal> proposal = next();
      more = proposal.has_value();
      if (!more || !known_.insert(key_of(problem_, proposal->candidate)).second) continue;
      candidates.push_back(proposal->candidate);
      proposals.push_back(std::move(*proposal));
    }
    std::vector<std::string> schedules(candidates.size());
    if (proposer_.distinct()) schedules = runs_.schedules_of(candidates, outcome_.ladder);
    for (std::size_t i = 0; i < proposals.size(); ++i) {
      if (schedules[i].empty() || schedules_.insert(std::move(schedules[i])).second) {
        add(std::move(proposals[i]));
      } else {
        ++outcome_.equal;
      }
    }
    if (!more) return;
  }
}

// Returns what a part's time follows from: its queues and settings, and those that concern all parts.
std::string CandidateGenerator::part_key(const Candidate& candidate, std::size_t part) const {
  const std::vector<std::string>& parts = problem_.parts();
  std::string key = fmt::format("{} {}\n", part, candidate.rest_of);
  for (std::size_t unit = 0; unit < kCoreUnits; ++unit)
    key += fmt::format("{}\n", fmt::join(problem_.keys(candidate, problem_.queue(part, unit)), "\n"));
  for (std::size_t d = 0; d < candidate.settings.size(); ++d) {
    const std::string& pass = problem_.space().decisions[d].pass;
    if (pass == parts[part] || std::ranges::count(parts, pass) == 0)
      key += fmt::format("{},", candidate.settings[d]);
  }
  return key;
}

void CandidateGenerator::add(Proposal proposal) {
  for (std::size_t part = 0; part < problem_.parts().size(); ++part)
    known_parts_.insert(part_key(proposal.candidate, part));
  outcome_.candidates.push_back({.candidate = std::move(proposal.candidate),
                                 .number = ++outcome_.proposed,
                                 .way = proposal.way,
                                 .lineage = proposal.lineage,
                                 .changed = proposal.changed});
  outcome_.candidates.back().scores.resize(outcome_.ladder.size());
}

}  // namespace a3sim
