#pragma once

#include <filesystem>
#include <string>

namespace a3sim {

// True for a time line of PyTorch's profiler (Kineto), judged by how the file begins, or a folder that has one.
bool is_kineto(const std::filesystem::path& path);

// Returns whether a path is such a time line, or a folder that has some.
bool is_kineto_profile(const std::filesystem::path& path);

// Returns what ran on the devices as one step, for timelines. Dates count from the first file's first one; clocks of ranks
// that differ are not set. Throws InputError as reading the profile does.
std::string kineto_kernels_csv(const std::filesystem::path& path);

}  // namespace a3sim
