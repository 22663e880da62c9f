#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// The file of an imported profile's kernels, one per line.
inline constexpr std::string_view kKernelsCsv = "kernels.csv";

// Returns the kernels and exchanges of steps that were recorded in full; only the first ones if there are
// very many. Empty if there are none.
std::string kernels_csv(const Observation& job);

// The steps of an imported profile, read back, for timelines. Only kernels.
class ImportedTimeline final : public Observation {
 public:
  // Throws InputError with file and line if something cannot be read.
  explicit ImportedTimeline(const std::filesystem::path& file);

  void each_step(const Step&) const override {}
  std::vector<std::uint32_t> full_steps() const override;
  FullStep full(std::uint32_t step) const override { return steps_.at(step); }
  RecordPlace place_of(const LightRecord&) const override { return {}; }
  RecordPlace place_of(const OperatorRecord&) const override { return {}; }
  RecordPlace place_of(const TransferRecord&) const override { return {}; }
  RecordPlace place_of(const HostRecord&) const override { return {}; }

 private:
  std::map<std::uint32_t, FullStep> steps_;  // by the profile's number of the step
};

}  // namespace a3sim
