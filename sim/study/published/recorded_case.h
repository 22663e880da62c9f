#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "traces/observation.h"

namespace a3sim {

// A published diagnosis: the records of a slow job and the causes that were found. Models that are not
// simulated here have only these. They stand in configs/cases/NAME.yaml; the folder's page lists the keys.
struct RecordedCase {
  // The work of an operator, an exchange or a host in a step, on each rank. Dates count from when the rank
  // could begin.
  struct StepActivity {
    Lane lane = Lane::kCompute;
    std::string name;  // the operator's name
    HostKind kind = HostKind::kOther;
    Duration from{}, to{};
    std::uint32_t count = 1;       // host events
    double cores = 0, memory = 0;  // used parts of the host's cores and memory
    double bytes = 0, uses = 0;    // of a transfer; used part of the port's rate
  };
  // Steps in which the hosts of some ranks delay their devices.
  struct HostDelay {
    double share = 0;                  // of all steps, evenly spread
    std::vector<std::uint32_t> steps;  // further steps
    std::vector<std::uint32_t> ranks;
    bool rotates = false;  // delays one rank at a time, in turn
    HostKind kind = HostKind::kOther;
    Duration length{};
    std::uint32_t count = 1;  // events; several have lengths as in a Poisson process
    bool has(std::uint32_t step) const;
  };

  std::string title, source;
  // Expected causes, the main one first, and causes whose times were not published.
  std::vector<std::string> causes, assumed;
  std::vector<std::int64_t> shards;  // the step is cut into alternating ones of these
  // Share of a usual step that the published remedy may save but its finding does not explain.
  double unseen = 0;
  bool by_throughput = false;  // the factor is of mean throughput, not of mean time
  std::uint32_t ranks = 1, node = 8, steps = 3;
  ObservedMachine machine;
  Duration wait{};  // before the first work of a step
  std::array<std::uint8_t, 3> queues{kNoFill, kNoFill, kNoFill};
  std::vector<StepActivity> step;
  std::vector<HostDelay> delays;

  Duration length() const;  // Returns the length of a step that is not slow, with its wait.
};

// Returns the names of the cases in a folder of configurations.
std::vector<std::string> recorded_cases(const std::filesystem::path& configs);
RecordedCase read_recorded_case(const std::filesystem::path& file);
// Notes errors in the configuration's diagnostics.
RecordedCase read_recorded_case(const Config& root);

// The records of a case as a watched job. No step without faults is known. Hosts, operators and transfers
// are there in full for one usual step and for the first slow ones.
class CaseObservation final : public Observation {
 public:
  explicit CaseObservation(RecordedCase recorded_case);

  void each_step(const Step& take) const override;
  std::vector<std::uint32_t> full_steps() const override { return full_; }
  FullStep full(std::uint32_t step) const override;
  RecordPlace place_of(const LightRecord& record) const override;
  RecordPlace place_of(const OperatorRecord& record) const override;
  RecordPlace place_of(const TransferRecord& record) const override;
  RecordPlace place_of(const HostRecord& record) const override;

  // Returns the length of all steps together.
  Duration took() const { return took_; }
  std::vector<double> step_lengths_ms() const;
  const RecordedCase& recorded() const { return case_; }

 private:
  // Returns how long the host of a rank delays a step.
  Duration held_up(std::uint32_t step, std::uint32_t rank,
                   const RecordedCase::HostDelay** by = nullptr) const;
  void add(const RecordedCase::StepActivity& activity, std::uint32_t rank, Duration begin,
           FullStep& full) const;

  RecordedCase case_;
  std::vector<std::uint32_t> full_;
  std::vector<Duration> begins_;  // one entry per step
  Duration took_{};
};

}  // namespace a3sim
