#pragma once

#include <filesystem>

namespace a3sim {

// True for a time line of a kernel by core, judged by how the file begins: lanes AIC0, AIV0, ..., or a folder that has one.
bool is_core_trace(const std::filesystem::path& path);

}  // namespace a3sim
