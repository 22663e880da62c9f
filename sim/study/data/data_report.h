#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/data/adversary.h"
#include "traces/report/report.h"

namespace a3sim {

// What the schedules of a check really have, whatever was asked for.
struct Structure {
  std::uint32_t partitions = 0;                      // of an expert's rows
  std::uint32_t fewest_blocks = 0, most_blocks = 0;  // a share of a matrix tile with several shares
  std::uint32_t shortest_put = 0, longest_put = 0;   // rows, at capacity
  std::uint32_t experts = 0, idle_experts = 0;       // in all; those without rows under the routing
};
Structure structure_of(const DataCheck& check);
// Experts that receive no row under a case's routing.
std::uint32_t idle_experts(const DataCase& data_case);

// Every comparison, and what is wrong, a sentence each.
struct DataFindings {
  Report report;
  std::vector<std::string> faults;
};

// How tasks are held up, beyond one run as they are.
struct Adversary {
  std::optional<std::uint64_t> seed;  // every second task, drawn
  bool all = false;                   // one operator after the other
};

// The outcome of all passes: without delays, and under the adversary's.
DataFindings check_data(const DataCheck& check, const Adversary& adversary);

// Takes away the wait of one task of an operator, `OP` or `OP:INDEX` (of `OP`, the first that shows), holds
// its writers up and reports the wrong result as a fault. Throws InputError for an operator or task that does
// not exist or waits for nothing.
DataFindings drop_wait(const DataCheck& check, const std::string& which);

}  // namespace a3sim
