#pragma once

#include <filesystem>

namespace a3sim {

// True for a time line of PyTorch's profiler (Kineto), judged by how the file begins, or a folder that has one.
bool is_kineto(const std::filesystem::path& path);

}  // namespace a3sim
