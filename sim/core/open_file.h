#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace a3sim {

// Opens a regular file for reading in pieces. Throws InputError with its name if it cannot be opened, or is a
// folder, a pipe or a device: reading these may block for ever.
std::ifstream open_file(const std::filesystem::path& path);

// Returns why there is nothing at a path: "there is no such file", or what keeps the system from looking,
// such as a loop of links.
std::string why_missing(const std::filesystem::path& path);

}  // namespace a3sim
