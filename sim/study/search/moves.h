#pragma once

#include <vector>

#include "sim/core/rng.h"
#include "sim/study/search/search_problem.h"

namespace a3sim {

// Draws all choices.
Candidate random_candidate(const SearchProblem& problem, Rng& rng);

// Makes one or more choices anew: another place or key of a term, the keys of another start, another value.
void mutate(const SearchProblem& problem, Candidate& candidate, Rng& rng);

// Takes each queue, and each setting, from one of the two.
Candidate cross(const Candidate& a, const Candidate& b, Rng& rng);

// Takes the settings of both where one of them is as configured, and all else as cross() does.
Candidate unite(const Candidate& a, const Candidate& b, Rng& rng);

// The candidate with another value in one setting: all of these.
std::vector<Candidate> other_settings(const SearchProblem& problem, const Candidate& candidate);

}  // namespace a3sim
