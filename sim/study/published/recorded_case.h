#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "traces/observation.h"

namespace a3sim {

// A published diagnosis: what was said of a slow job, as records of one, and the causes that were found for it. Models
// that are not simulated here have only these: configs/cases/NAME.yaml, whose page says what may stand there.
struct RecordedCase {
  // What an operator, an exchange or a host does in a step, on each rank; dates since the rank could begin.
  struct StepActivity {
    Lane lane = Lane::kCompute;
    std::string name;  // of an operator
    HostKind kind = HostKind::kOther;
    Duration from{}, to{};
    std::uint32_t count = 1;       // host events
    double cores = 0, memory = 0;  // parts of what these allow
    double bytes = 0, uses = 0;    // of a transfer; part of the port's rate
  };
  // Steps in which hosts of some ranks hold up their devices.
  struct HostDelay {
    double share = 0;                  // of all steps, evenly
    std::vector<std::uint32_t> steps;  // and these
    std::vector<std::uint32_t> ranks;
    bool rotates = false;  // one rank at a time, in turns
    HostKind kind = HostKind::kOther;
    Duration length{};
    std::uint32_t count = 1;  // events, of lengths as a Poisson process has them, if more than one
    bool has(std::uint32_t step) const;
  };

  std::string title, source;
  std::vector<std::string> causes,
      assumed;                       // expected, the first first; those whose times are no published ones
  std::vector<std::int64_t> shards;  // into which alternating ones the step is cut
  double unseen = 0;  // part of a usual step that the published remedy may save and its finding does not tell
  bool by_throughput = false;  // the factor is of the mean of the steps' throughputs, not of their time
  std::uint32_t ranks = 1, node = 8, steps = 3;
  ObservedMachine machine;
  Duration wait{};  // until the first work of a step
  std::array<std::uint8_t, 3> queues{kNoFill, kNoFill, kNoFill};
  std::vector<StepActivity> step;
  std::vector<HostDelay> delays;

  Duration length() const;  // of a step that is not slow, with its wait
};

// The cases of a folder of configurations, by name.
std::vector<std::string> recorded_cases(const std::filesystem::path& configs);
RecordedCase read_recorded_case(const std::filesystem::path& file);
// Notes what is wrong.
RecordedCase read_recorded_case(const Config& root);

// Its records, as a job that was watched: no step without faults is known, and hosts, operators and transfers of one
// usual step and the first slow ones are there in full.
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

  // Of all steps together.
  Duration took() const { return took_; }
  std::vector<double> step_lengths_ms() const;
  const RecordedCase& recorded() const { return case_; }

 private:
  // By which the host of a rank holds up a step.
  Duration held_up(std::uint32_t step, std::uint32_t rank,
                   const RecordedCase::HostDelay** by = nullptr) const;
  void add(const RecordedCase::StepActivity& activity, std::uint32_t rank, Duration begin,
           FullStep& full) const;

  RecordedCase case_;
  std::vector<std::uint32_t> full_;
  std::vector<Duration> begins_;  // by step
  Duration took_{};
};

}  // namespace a3sim
