#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace a3sim {

// Calls `take` for each group of ranks that profiler_metadata.json tells: the communicator's name, what it is used for ("tp",
// "pp"), and its ranks. Throws InputError with the file's name.
void read_parallel_groups(const std::filesystem::path& file,
                          const std::function<void(const std::string& name, const std::string& use,
                                                   std::span<const std::uint32_t> ranks)>& take);

}  // namespace a3sim
