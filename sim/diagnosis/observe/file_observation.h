#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "sim/diagnosis/observe/job_file.h"
#include "sim/diagnosis/observe/light_file.h"
#include "traces/observation.h"

namespace a3sim {

// Reads a job that `a3sim run --steps` recorded. Never opens its truth.json, which names the injected faults.
class FileObservation final : public Observation {
 public:
  // The caller has checked the kind of directory (result_directory.h). Throws InputError for records that are
  // missing, truncated, damaged or contradictory.
  explicit FileObservation(const std::filesystem::path& directory);

  const JobFile& file() const { return file_; }
  // Replaces the recorded limits of the machine. `machine` must have planes of the same names.
  void set_machine(const ObservedMachine& machine) { job_.machine = machine; }
  // Acts as if no step without faults had been recorded.
  void leave_out_reference() { with_reference_ = false; }
  void each_step(const Step& take) const override { light_.each_step(take); }
  std::vector<LightRecord> reference() const override;
  FullStep reference_full() const override;
  std::vector<std::uint32_t> full_steps() const override;
  FullStep full(std::uint32_t step) const override;
  RecordPlace place_of(const LightRecord& record) const override;
  RecordPlace place_of(const OperatorRecord& record) const override;
  RecordPlace place_of(const TransferRecord& record) const override;
  RecordPlace place_of(const HostRecord& record) const override;

 private:
  FullStep read(const std::string& folder, std::uint32_t step) const;
  // Returns the step from a cache, since callers ask for many places.
  const FullStep& kept(std::uint32_t step) const;

  std::filesystem::path directory_;
  JobFile file_;
  LightFile light_;
  bool with_reference_ = true;
  mutable std::map<std::uint32_t, FullStep> kept_;
};

}  // namespace a3sim
