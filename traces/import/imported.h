#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "traces/import/profile.h"

// A profile as a result: what `a3sim import -o` leaves behind. measured.json: what it is, notes, ranks; measured.csv:
// a line for each operator, exchange, size of packets and task of a rank.
namespace a3sim {

// Names of files, and what is in them.
std::vector<std::pair<std::string, std::string>> imported_files(const Profile& profile);

// Reads them back. The directory's kind has been checked. Throws InputError with file and line for what is
// missing, cut off or no number.
Profile read_imported(const std::filesystem::path& directory);

}  // namespace a3sim
