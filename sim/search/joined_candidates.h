#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "sim/search/proposer.h"
#include "sim/search/search.h"

namespace a3sim {

// Makes new candidates out of those that have run. Passes run one after the other, so the times of parts add up.
// A position is one in SearchOutcome::candidates; `order` lists those that finished, the best first.
class JoinedCandidates {
 public:
  using IsKnown = std::function<bool(const Candidate&)>;

  // Both must outlive this object.
  JoinedCandidates(const SearchProblem& problem, const SearchOutcome& outcome)
      : problem_(problem), outcome_(outcome) {}

  // Returns the best queues of each part, with the same other choices, if that is faster than all and not known yet.
  std::optional<Candidate> best_parts(const std::vector<std::size_t>& order, const IsKnown& known) const;
  // Returns what may be joined though other choices differ, so that its time is not known before it runs: the best of all
  // with the part of the one that is best in this part, and the other way round.
  std::vector<Candidate> exchanged_parts(const std::vector<std::size_t>& order) const;
  // Returns, for each candidate of which those from `first` on are changes, all changes together that gained in all, or in
  // one part.
  std::vector<Proposal> united_changes(std::size_t first) const;

 private:
  // Says by how much a candidate is faster than the one that it changes, in total or in one part.
  struct Gained {
    std::size_t child;
    std::optional<std::size_t> part;
    double by;
  };

  bool may_join(const Candidate& a, const Candidate& b) const;
  Candidate with_part(Candidate candidate, const Candidate& other, std::size_t part) const;
  void take_changes(Candidate& candidate, const Candidate& child, const Candidate& parent,
                    std::optional<std::size_t> part) const;
  void add_gains(std::size_t child, std::vector<Gained>& gains) const;

  const SearchProblem& problem_;
  const SearchOutcome& outcome_;
};

}  // namespace a3sim
