#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/import/ascend_reader.h"

namespace a3sim {

// True for a time line of PyTorch's profiler (Kineto), judged by how the file begins, or a folder that has one.
bool is_kineto(const std::filesystem::path& path);

// Returns whether a path is such a time line, or a folder that has some.
bool is_kineto_profile(const std::filesystem::path& path);

// Reads such time lines into a sink, as read_ascend() does a profiler's directories. Kernels have no tables, so a "line" is the
// number of a kernel on its device, by start; steps are those that devices saw (ProfilerStep#N).
ProfiledClocks read_kineto(const std::filesystem::path& path, AscendSink& to,
                           std::vector<std::string>& notes);

// Returns what ran on the devices as one step, for timelines. Times count from the first file's first one; clocks of ranks
// that differ are not set. Throws InputError as reading the profile does.
std::string kineto_kernels_csv(const std::filesystem::path& path);

}  // namespace a3sim
