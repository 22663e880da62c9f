#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "traces/import/profile.h"

// An imported profile as `a3sim import -o` writes it. measured.json has its kind, notes and ranks;
// measured.csv a line for each operator, exchange, size of packets and task of a rank.
namespace a3sim {

// Returns names of files, with their contents.
std::vector<std::pair<std::string, std::string>> imported_files(const Profile& profile);

// Reads these files. The kind of the directory must have been checked. Throws InputError with file and line
// if a part is missing, cut off or no number.
Profile read_imported(const std::filesystem::path& directory);

}  // namespace a3sim
