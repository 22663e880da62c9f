#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "sim/search/candidate_ranking.h"
#include "sim/search/joined_candidates.h"

namespace a3sim {

// The search itself comes to candidates in two ways, which stand before those of its method: the method lists them, or parts
// and changes that gained are joined.
inline constexpr std::size_t kListed = 0, kJoined = 1, kOwnWays = 2;

// Adds the next candidates to a search. Leaves out those that are known and, for a method of distinct schedules, those with
// the schedules of another one.
class CandidateGenerator {
 public:
  // All must outlive this object.
  CandidateGenerator(const SearchProblem& problem, const SearchOptions& options, const Proposer& proposer,
                     CandidateRuns& runs, const CandidateRanking& ranking, SearchOutcome& outcome)
      : problem_(problem),
        options_(options),
        proposer_(proposer),
        runs_(runs),
        ranking_(ranking),
        outcome_(outcome),
        joins_(problem, outcome),
        streams_(options.seed) {}

  // Takes note of a start. Returns false if an equal one is known.
  bool take_start(const Candidate& start);
  // Takes note of the schedules of all candidates of the outcome.
  void take_schedules();
  // Adds a generation. Returns false if it finds nothing new.
  bool propose();

 private:
  std::vector<ParentCandidate> parent_candidates(const std::vector<std::size_t>& positions) const;
  std::deque<Proposal> joined_proposals(const std::vector<std::size_t>& order, Lineage lineage) const;
  std::string part_key(const Candidate& candidate, std::size_t part) const;
  template <typename Next>
  void add(const Next& next, std::size_t most);
  void add(Proposal proposal);

  const SearchProblem& problem_;
  const SearchOptions& options_;
  const Proposer& proposer_;
  CandidateRuns& runs_;
  const CandidateRanking& ranking_;
  SearchOutcome& outcome_;
  JoinedCandidates joins_;
  ProposalStreams streams_;
  std::set<std::string> known_, schedules_;  // candidates as text, and what tells schedules apart
  std::set<std::string> known_parts_;
  std::uint32_t generation_ = 0;
  std::size_t last_generation_ = 0;  // position of its first candidate
  std::deque<Proposal> waiting_;     // candidates that the proposer wants to try first
};

}  // namespace a3sim
