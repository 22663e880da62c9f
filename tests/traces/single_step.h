#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/diagnosis/rules/advice.h"
#include "tests/traces/made_observation.h"

namespace a3sim {

inline constexpr std::uint32_t kStepRanks = 4;
inline constexpr double kOwnWork = 10, kTransfers = 4;  // ms, per rank

inline const RuleBook& book() {
  static const RuleBook kRules = read_rules(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/advice");
  return kRules;
}

// Returns one step of four ranks, recorded in full. The usual step is not known.
inline MadeObservation single_step(
    const std::function<void(MadeObservation::Own&, std::uint32_t rank)>& change = {}) {
  MadeObservation job(kStepRanks, 1, [&](std::uint32_t, std::uint32_t rank) {
    MadeObservation::Own own;
    own.work = kOwnWork;
    own.transfer = kTransfers;
    if (change) change(own, rank);
    return own;
  });
  job.has_reference = false;
  FullStep& step = job.full_records.emplace_back();
  for (std::uint32_t r = 0; r < kStepRanks; ++r) step.ranks.push_back(r);
  return job;
}

inline OperatorRecord& add_operator(MadeObservation& job, std::uint32_t rank, std::uint32_t name,
                                    double start, double run, Lane lane = Lane::kCompute) {
  OperatorRecord record = MadeObservation::op(0, rank, name, run, run / 2);
  record.start = made_ms(start);
  record.end = made_ms(start + run);
  record.lane = lane;
  return job.full_records[0].operators.emplace_back(record);
}

// Adds computing of 6 ms, then communication of 4 ms alone.
inline void communicate_behind(MadeObservation& job) {
  for (std::uint32_t r = 0; r < kStepRanks; ++r) {
    add_operator(job, r, 0, 0, 6);
    add_operator(job, r, 1, 6, kTransfers, Lane::kCommunication);
  }
}

inline std::optional<Finding> found(const MadeObservation& job, std::string_view cause) {
  const Advice advice = advise(job, book());
  for (const std::vector<Finding>* list : {&advice.findings, &advice.infos})
    for (const Finding& finding : *list)
      if (finding.cause == cause) return finding;
  return {};
}

}  // namespace a3sim
