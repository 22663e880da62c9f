#pragma once

#include <cstddef>
#include <vector>

#include "sim/search/proposer.h"
#include "sim/search/search.h"

namespace a3sim {

// Ranks the candidates of a search that have run in the last stage. Positions are those in SearchOutcome::candidates.
class CandidateRanking {
 public:
  // All must outlive this object. `skipped` has an entry for each stage of the ladder.
  CandidateRanking(const SearchProblem& problem, const SearchOptions& options, const Proposer& proposer,
                   const SearchOutcome& outcome, const std::vector<bool>& skipped)
      : problem_(problem), options_(options), proposer_(proposer), outcome_(outcome), skipped_(skipped) {}

  // Returns the score as a parent. A candidate that the first stage refuses costs more to try, and so do its descendants: it
  // must be better by as much.
  double as_parent(std::size_t i) const;
  // Returns all positions, the best candidate first.
  std::vector<std::size_t> ranked() const;
  // Returns all positions, the best parent first.
  std::vector<std::size_t> ranked_as_parents() const;
  // Returns the first of each score in a ranking, as many as the method needs.
  std::vector<std::size_t> parents(const std::vector<std::size_t>& order) const;
  // Returns the best of each lineage that is followed, the best first.
  std::vector<std::size_t> leaders(const std::vector<std::size_t>& order) const;
  // Returns how many lineages are followed: one by a method with one parent; else all there are, one less after half of the
  // budget, and one after three quarters.
  std::size_t followed() const;

 private:
  const SearchProblem& problem_;
  const SearchOptions& options_;
  const Proposer& proposer_;
  const SearchOutcome& outcome_;
  const std::vector<bool>& skipped_;
};

}  // namespace a3sim
