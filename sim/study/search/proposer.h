#pragma once

#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/core/rng.h"
#include "sim/study/search/search_problem.h"

namespace a3sim {

// A method that finds the next candidate. One file each in proposers/, registered by its name. Stateless:
// its proposals depend only on the arguments.
class Proposer {
 public:
  static constexpr std::string_view kKind = "method of search";
  virtual ~Proposer() = default;
  // Returns candidates to try first in a generation, the first of which is 0, given the best so far. None by default.
  virtual std::vector<Candidate> opening(const SearchProblem&, const Candidate&, std::uint32_t) const {
    return {};
  }
  // Returns the number of best candidates that propose() needs.
  virtual std::size_t parents() const = 0;
  // Returns a new candidate. `best` holds the best candidates so far, the best first, one for each score;
  // at least one.
  virtual Candidate propose(const SearchProblem& problem, const std::vector<Candidate>& best,
                            Rng& rng) const = 0;
};
using Proposers = Registry<Proposer>;

}  // namespace a3sim
