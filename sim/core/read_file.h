#pragma once

#include <filesystem>
#include <string>

namespace a3sim {

// All of a file. Throws InputError that names it when it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace a3sim
