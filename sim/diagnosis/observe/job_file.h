#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// What a directory of records says of its job: job.json.
struct JobFile : ObservedJob {
  std::string name, version;  // of the experiment; of the a3sim that ran it
  std::uint32_t steps = 0;
  std::vector<std::vector<std::uint32_t>> groups;  // of ranks that meet
  struct Full {
    std::uint32_t step = 0;
    std::vector<std::uint32_t> ranks;
  };
  std::vector<Full> full;  // in order of steps
};

inline constexpr std::string_view kJobJson = "job.json";
inline constexpr std::string_view kLightBin = "light.bin";
inline constexpr std::string_view kReferenceBin = "reference.bin";
// The folder of a step's full records, and that of the reference's.
std::string full_folder(std::uint32_t step);
inline constexpr std::string_view kReferenceFolder = "full/reference";

std::string job_json(const JobFile& job);
// Throws InputError with the file and what is wrong in it.
JobFile read_job_json(const std::filesystem::path& path);

}  // namespace a3sim
