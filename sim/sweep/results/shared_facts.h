#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace a3sim {

// Returns what was simulated at all points of a sweep alike, in short: "EP8 · 4096 tokens per rank · machine a3_24_48". Empty if no
// point has run.
std::string shared_facts(const std::filesystem::path& database, std::string_view sweep);

}  // namespace a3sim
