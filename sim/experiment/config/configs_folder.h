#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// Returns the folder with the shipped configurations: $A3SIM_CONFIGS, else the one installed beside the program, else
// that of the clone in which the program lies or was built. Throws an InputError if there is none.
std::filesystem::path configs_folder();

// files_in() returns the files in a folder that have this ending, sorted; names_in() returns their names
// without it. Both return nothing if there is no such folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            std::string_view ending = ".yaml");
std::vector<std::string> names_in(const std::filesystem::path& folder, std::string_view ending = ".yaml");

}  // namespace a3sim
