#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// The contents of job.json: what a directory of records says about its job.
struct JobFile : ObservedJob {
  std::string name, version;  // name of the experiment; version of the a3sim that ran it
  std::uint32_t steps = 0;
  std::vector<std::vector<std::uint32_t>> groups;  // groups of ranks that meet
  struct Full {
    std::uint32_t step = 0;
    std::vector<std::uint32_t> ranks;
  };
  std::vector<Full> full;  // ascending by step
};

inline constexpr std::string_view kJobJson = "job.json";
inline constexpr std::string_view kLightBin = "light.bin";
inline constexpr std::string_view kReferenceBin = "reference.bin";
// The folders of the full records of a step and of the reference.
std::string full_folder(std::uint32_t step);
inline constexpr std::string_view kReferenceFolder = "full/reference";

std::string job_json(const JobFile& job);
// Throws InputError with the file's name and what is wrong in it.
JobFile read_job_json(const std::filesystem::path& path);

}  // namespace a3sim
