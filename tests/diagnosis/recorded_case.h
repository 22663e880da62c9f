#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// A published diagnosis: the symptoms of a slow job, and the causes that were found. The models are not
// simulated; the rules see records that are made of the symptoms.
struct RecordedCase {
  // The work of an operator, an exchange or a host in a step, on each rank. Times count from when the rank
  // could begin.
  struct StepActivity {
    Lane lane = Lane::kCompute;
    std::string name{};  // the operator's name
    HostKind kind = HostKind::kOther;
    double from_ms = 0, to_ms = 0;
    std::uint32_t count = 1;       // host events
    double cores = 0, memory = 0;  // used parts of the host's cores and memory
    double bytes = 0, uses = 0;    // of a transfer; used part of the port's rate
  };
  // Steps in which the hosts of some ranks delay their devices.
  struct HostDelay {
    double share = 0;                    // of all steps, evenly spread
    std::vector<std::uint32_t> steps{};  // further steps
    std::vector<std::uint32_t> ranks{};
    bool rotates = false;  // delays one rank at a time, in turn
    HostKind kind = HostKind::kOther;
    double length_ms = 0;
    std::uint32_t count = 1;  // events; several have lengths as in a Poisson process
    bool has(std::uint32_t step) const;
  };

  std::string title;
  std::vector<std::string> causes;  // expected, the main one first
  std::uint32_t ranks = 1, steps = 3;
  std::vector<StepActivity> step;
  std::vector<HostDelay> delays{};
  std::array<std::uint8_t, 3> queues{kNoFill, kNoFill, kNoFill};  // of the device, of the host, of data
  double published = 0;  // factor by which steps became shorter, or mean throughput higher; 0: none
  // Share of a usual step that the published remedy may save but its finding does not explain.
  double unseen = 0;
  bool by_throughput = false;  // the factor is of mean throughput, not of mean time
  std::uint32_t shards = 1;    // each communicates while another computes, except the last one

  double length_ms() const;  // of a step that is not slow, with its wait
  double wait_ms() const;    // before the first work of a step
};

// Diagnoses of Hermes (USENIX ATC '25).
const std::vector<RecordedCase>& recorded_cases();

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

 private:
  // Returns how long the host of a rank delays a step.
  Duration held_up(std::uint32_t step, std::uint32_t rank,
                   const RecordedCase::HostDelay** by = nullptr) const;
  void add(const RecordedCase::StepActivity& activity, std::uint32_t rank, Duration begin,
           FullStep& full) const;

  RecordedCase case_;
  Duration length_{}, wait_{};
  std::vector<std::uint32_t> full_;
  std::vector<Duration> begins_;  // one entry per step
  Duration took_{};
};

}  // namespace a3sim
