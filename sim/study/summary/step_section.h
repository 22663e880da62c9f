#pragma once

#include <filesystem>

#include "traces/report/page/page.h"

namespace a3sim {

// True if the saved run is a training step with its blocks.
bool has_step(const std::filesystem::path& directory);

// Adds a section about a step: its time, its pipeline, where the stages' time went, what hides exchanges,
// and what the dies hold. Throws InputError if a file is cut off or wrong.
void add_step(Page& page, const std::filesystem::path& directory, const std::string& title);

}  // namespace a3sim
