#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "traces/observation.h"

// Full records on disk: a folder per step with one table each for operators, transfers and host events. Times
// are whole picoseconds, so reading returns exactly what was written.
namespace a3sim {

inline constexpr std::string_view kOperatorsCsv = "operators.csv";
inline constexpr std::string_view kTransfersCsv = "transfers.csv";
inline constexpr std::string_view kHostCsv = "host.csv";

std::string operators_csv(const FullStep& step, const std::vector<std::string>& names,
                          const std::vector<std::string>& passes);
std::string transfers_csv(const FullStep& step, const std::vector<std::string>& names,
                          const std::vector<std::string>& passes, const ObservedMachine& machine);
std::string host_csv(const FullStep& step);

// Reads the three tables of a folder. Throws InputError with file and line for anything missing, truncated,
// or not of this job.
FullStep read_full(const std::filesystem::path& folder, std::uint32_t step, const ObservedJob& job);

}  // namespace a3sim
