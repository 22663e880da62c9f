#pragma once

#include <vector>

#include "sim/core/rng.h"
#include "sim/search/search_problem.h"

namespace a3sim {

// Returns a candidate with all choices drawn at random.
Candidate random_candidate(const SearchProblem& problem, Rng& rng);

// Special values of the part that a change concerns: all parts, or settings that several parts share.
inline constexpr std::size_t kAllParts = static_cast<std::size_t>(-1), kNoPart = static_cast<std::size_t>(-2);

// Changes one or more choices of a part: the place or key of a term, in one queue or alike in both of a part, the keys of a
// start, or a value.
void mutate(const SearchProblem& problem, Candidate& candidate, std::size_t part, Rng& rng);

// Returns a child that takes each queue and each setting from one of the two.
Candidate cross(const Candidate& a, const Candidate& b, Rng& rng);

// Returns a child with the changed settings of both; all else as in cross().
Candidate unite(const Candidate& a, const Candidate& b, Rng& rng);

// Returns all candidates that differ in the value of one setting.
std::vector<Candidate> other_settings(const SearchProblem& problem, const Candidate& candidate);

}  // namespace a3sim
