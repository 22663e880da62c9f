#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// A profiler's directories, of one rank or of many, as a job that was watched. A record's pass is how many kernels of
// its name its rank had run in the step before it. All steps that were profiled are there in full, and what they cannot
// say stands in missing().
class ProfiledJob final : public Observation {
 public:
  // What the device allows, by how many AIC and AIV run its kernels.
  using MachineOf = std::function<ObservedMachine(std::uint32_t aic, std::uint32_t aiv)>;
  // Without a machine it is what the profile itself says. Throws InputError with file and line for what is no
  // profile, and for one that has more than is held.
  explicit ProfiledJob(const std::filesystem::path& path, const MachineOf& machine = {});

  void each_step(const Step& take) const override;
  std::vector<std::uint32_t> full_steps() const override;
  FullStep full(std::uint32_t step) const override { return steps_.at(step); }
  std::uint32_t number_of(std::uint32_t step) const override { return numbers_.at(step); }
  RecordPlace place_of(const LightRecord& record) const override;
  RecordPlace place_of(const OperatorRecord& record) const override;
  RecordPlace place_of(const TransferRecord& record) const override;
  RecordPlace place_of(const HostRecord& record) const override;

 private:
  friend class JobReader;

  std::vector<std::uint32_t> numbers_;  // by step
  std::vector<FullStep> steps_;
  std::vector<std::vector<LightRecord>> light_;    // by step
  std::vector<std::vector<std::uint32_t>> lines_;  // by step, of its operators
  std::vector<std::string> folders_;               // by rank
  std::vector<std::string> tables_;                // likewise
};

}  // namespace a3sim
