#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sim/search/search_problem.h"

namespace a3sim {

// Returns a candidate as an experiment that includes the one of the search: the file `base`, the overrides
// of the command line, the candidate's settings, and its order as keys or as lists in the file `lists`
// beside it. `title` stands above it as comment lines.
std::string overlay_text(const SearchProblem& problem, const Candidate& candidate,
                         const std::filesystem::path& base, std::span<const std::string> overrides,
                         const std::string& title, const std::string& lists = {});

}  // namespace a3sim
