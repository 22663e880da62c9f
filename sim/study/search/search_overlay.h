#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sim/study/search/search_problem.h"

namespace a3sim {

// A candidate as an experiment that includes the one it was found for: the file `base`, what the command line lays over
// it, what the candidate does, and its order, by keys or by the lists in the file `lists` beside it. `title` stands above it as
// comments, a line each.
std::string overlay_text(const SearchProblem& problem, const Candidate& candidate,
                         const std::filesystem::path& base, std::span<const std::string> overrides,
                         const std::string& title, const std::string& lists = {});

}  // namespace a3sim
