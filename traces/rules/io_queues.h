#pragma once

#include <vector>

#include "traces/rules/host_lag.h"
#include "traces/rules/standing.h"

namespace a3sim {

// Which stage of the data pipeline holds the others up, by which queues behind it are filled: the device's filled: none;
// else the host's: fetching; else that of data: processing; else reading.
enum class IoStage : std::uint8_t { kNone, kRead, kProcess, kFetch };
IoStage io_stage(const std::array<double, 3>& fill, double filled);

// A finding where that stage is `stage` on the ranks that wait for batches.
std::vector<Finding> judge_io(const Case& of, const RuleData& data, IoStage stage);
// The same of every step: what is waited for batches then is all of the time before a rank's first work.
std::vector<Finding> standing_io(const Standing& of, const RuleData& data, IoStage stage);

}  // namespace a3sim
