#pragma once

#include <filesystem>

#include "traces/import/profile.h"

namespace a3sim {

// Returns whether a path is a profile as a profiler, or 'a3sim export', wrote it. A result that holds one is none.
bool is_raw_profile(const std::filesystem::path& path);

// Returns whether a path is a profile: a raw one, or what 'a3sim import -o' kept of one.
bool is_profile(const std::filesystem::path& path);

// Reads either. Throws InputError if it is damaged.
Profile profile_at(const std::filesystem::path& path);

}  // namespace a3sim
