#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "traces/observation.h"
#include "traces/profiled_time.h"

namespace a3sim {

// True for what a job can be read from: an Ascend profiler's directories, or time lines of PyTorch's profiler.
bool is_job_profile(const std::filesystem::path& path);

// A profiler's directories or time lines, of one rank or many, as a watched job. A record's pass is the number of kernels
// of its name that its rank had run before in the step. All profiled steps are there in full; missing()
// says what they lack.
class ProfiledJob final : public Observation {
 public:
  // Returns what the device allows if so many AIC and AIV run its kernels.
  static constexpr std::size_t kMostRecords = 2'000'000;
  using MachineOf = std::function<ObservedMachine(std::uint32_t aic, std::uint32_t aiv)>;
  // Without `machine`, takes the machine from the profile. Of many ranks those are there in full that have room in
  // `most_records` of each kind; of the others, light records and sums. Throws InputError with file and line if it is no
  // profile, or one rank alone has more.
  explicit ProfiledJob(const std::filesystem::path& path, const MachineOf& machine = {},
                       std::size_t most_records = kMostRecords);

  void each_step(const Step& take) const override;
  std::vector<std::uint32_t> full_steps() const override;
  FullStep full(std::uint32_t step) const override { return steps_.at(step); }
  std::uint32_t number_of(std::uint32_t step) const override { return numbers_.at(step); }
  RecordPlace place_of(const LightRecord& record) const override;
  RecordPlace place_of(const OperatorRecord& record) const override;
  RecordPlace place_of(const TransferRecord& record) const override;
  RecordPlace place_of(const HostRecord& record) const override;
  const ProfiledTime* profiled_time() const override { return &time_; }

 private:
  friend class JobReader;

  ProfiledTime time_;
  std::vector<std::uint32_t> numbers_;  // one per step
  std::vector<FullStep> steps_;
  std::vector<std::vector<LightRecord>> light_;    // by step
  std::vector<std::vector<std::uint32_t>> lines_;  // by step, of its operators
  std::vector<std::string> folders_;               // one per rank
  std::vector<std::string> tables_;                // one per rank
};

}  // namespace a3sim
