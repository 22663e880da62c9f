#pragma once

#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/core/rng.h"
#include "sim/study/search/search_problem.h"

namespace a3sim {

// A way to find the next candidate. One file each in proposers/, registered by its name. Stateless: what it proposes
// follows from what it is given.
class Proposer {
 public:
  static constexpr std::string_view kKind = "method of search";
  virtual ~Proposer() = default;
  // What is to be tried before all else, given the best order to start from; by default nothing.
  virtual std::vector<Candidate> first(const SearchProblem&, const Candidate&) const { return {}; }
  // How many of the best propose() looks at.
  virtual std::size_t parents() const = 0;
  // `best` are those that did best until now, the best first, one of each score; there is at least
  // one.
  virtual Candidate propose(const SearchProblem& problem, const std::vector<Candidate>& best,
                            Rng& rng) const = 0;
};
using Proposers = Registry<Proposer>;

}  // namespace a3sim
