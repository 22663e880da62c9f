#pragma once

#include <filesystem>

#include "traces/report/page/page.h"

namespace a3sim {

// Whether a saved run is a training step that was written with its blocks.
bool has_step(const std::filesystem::path& directory);

// The step as a section of a page: what it comes to, its pipeline, where its stages' time went, what hides exchanges, and
// what dies hold. Throws InputError for files that are cut off or wrong.
void add_step(Page& page, const std::filesystem::path& directory, const std::string& title);

}  // namespace a3sim
