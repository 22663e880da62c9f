#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// The file of an imported profile that holds its kernels, a line each.
inline constexpr std::string_view kKernelsCsv = "kernels.csv";

// The kernels and exchanges of the steps that were recorded in full, the first ones where there are very many; empty
// where there are none.
std::string kernels_csv(const Observation& job);

// Steps of an imported profile, read back: kernels alone, which timelines show.
class ImportedTimeline final : public Observation {
 public:
  // Throws InputError with file and line for what cannot be read.
  explicit ImportedTimeline(const std::filesystem::path& file);

  void each_step(const Step&) const override {}
  std::vector<std::uint32_t> full_steps() const override;
  FullStep full(std::uint32_t step) const override { return steps_.at(step); }
  RecordPlace place_of(const LightRecord&) const override { return {}; }
  RecordPlace place_of(const OperatorRecord&) const override { return {}; }
  RecordPlace place_of(const TransferRecord&) const override { return {}; }
  RecordPlace place_of(const HostRecord&) const override { return {}; }

 private:
  std::map<std::uint32_t, FullStep> steps_;  // by what the profile calls them
};

}  // namespace a3sim
