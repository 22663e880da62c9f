#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/core/rng.h"
#include "sim/search/search_problem.h"

namespace a3sim {

// Streams of random numbers. Candidates that are drawn whole come from `draws` alone, so that with one seed those that
// one method draws are the first ones of any other.
struct ProposalStreams {
  Rng draws, moves;
  explicit ProposalStreams(std::uint64_t seed) : draws(seed, 0), moves(seed, 1) {}
};

// The origin of a candidate. A search keeps the best of each, so that one that is fast early does not hide one that gets faster.
enum class Lineage : std::uint8_t { kStart, kListed, kDrawn };

// A candidate that has run.
struct ParentCandidate {
  Candidate candidate;
  Lineage lineage = Lineage::kStart;
  double score = 1;          // of the last stage: below 1 is faster than the best start
  std::size_t position = 0;  // among all that have run
};

// Holds the candidates that a method may change, and knows what has run.
struct Parents {
  // The best so far, the best first, one for each score; at least one.
  std::vector<ParentCandidate> best;
  // The best of each lineage that is still followed, the best first; at least one.
  std::vector<ParentCandidate> leaders;
  // Returns whether some candidate with the same choices in this part has run.
  std::function<bool(const Candidate&, std::size_t part)> part_known;
};

// A candidate to run, and the way in which the method came to it: a position in Proposer::ways().
struct Proposal {
  Candidate candidate;
  std::size_t way = 0;
  Lineage lineage = Lineage::kStart;
  std::optional<std::size_t> changed = {};  // position of the candidate that it changes
};

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
  // Returns names of the ways in which it comes to candidates; at least one.
  virtual std::vector<std::string_view> ways() const = 0;
  // True if proposals whose schedules are those of an earlier candidate are left out, and count nothing. They are compiled
  // for that.
  virtual bool distinct() const { return false; }
  // Returns the number of best candidates that propose() needs.
  virtual std::size_t parents() const = 0;
  // Returns a new candidate.
  virtual Proposal propose(const SearchProblem& problem, const Parents& parents,
                           ProposalStreams& streams) const = 0;
};
using Proposers = Registry<Proposer>;

}  // namespace a3sim
