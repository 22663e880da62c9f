#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/runtime/hosts/host_options.h"
#include "sim/runtime/link_disturbances.h"

namespace a3sim {

// What one step of a job runs under, beside its configuration: what faults change, and nothing else knows of them.
struct StepConditions {
  // A slower operator of a rank.
  struct SlowOperator {
    std::uint32_t rank = 0;
    std::string name;
    double factor = 1;  // of its tasks' own times
  };

  std::vector<double> clock, hbm;  // by rank: of the hardware's
  std::vector<Duration> late;      // by rank: how much later than it could it starts with the step
  LinkDisturbances links;
  std::vector<SlowOperator> operators;
  std::vector<HostStep> hosts;                            // by rank
  std::vector<std::pair<std::string, std::string>> sets;  // key and value, over the configuration

  StepConditions(std::uint32_t ranks, const DataOptions& data)
      : clock(ranks, 1), hbm(ranks, 1), late(ranks), hosts(ranks) {
    for (HostStep& host : hosts) host.data = data;
  }
};

}  // namespace a3sim
