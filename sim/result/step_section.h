#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "traces/analysis/overlap.h"
#include "traces/report/page/page.h"

namespace a3sim {

// True if the saved run is a training step with its blocks.
bool has_step(const std::filesystem::path& directory);

// Returns the exchanges of each stage's die, of all kinds, those of its experts among them, which are inside of kernels and no
// tasks of its trace. `exposed` is the time in which nothing computes. Throws InputError if the file is wrong.
std::vector<Overlap> step_overlaps(const std::filesystem::path& directory);

// Adds a section about a step: its time, its pipeline, where the stages' time went, what hides exchanges,
// and what the dies hold. Throws InputError if a file is cut off or wrong.
void add_step(Page& page, const std::filesystem::path& directory, const std::string& title);

// Adds what it is worth that one of two steps takes less time, where their layouts differ and they do the same work.
void add_step_lead(Page& page, const std::array<std::filesystem::path, 2>& directories,
                   const std::array<std::string, 2>& names);

}  // namespace a3sim
