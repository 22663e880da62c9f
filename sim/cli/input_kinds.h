#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traces/report/report.h"

namespace a3sim {

// Returns what a file is that is no profile (a launch script, a model's config.json, a rank table), and the commands that
// take it; nullopt for other files. Judges by the contents. Throws InputError for one of these that is wrong.
std::optional<Report> described_input(const std::string& file);

// Returns the commands to type next, as the end of a report.
std::string next_commands(const std::vector<std::string>& commands);

}  // namespace a3sim
