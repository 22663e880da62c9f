#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/check/adversary.h"
#include "traces/report/report.h"

namespace a3sim {

// The properties that the schedules of a check really have.
struct Structure {
  std::uint32_t partitions = 0;                      // of an expert's rows
  std::uint32_t fewest_blocks = 0, most_blocks = 0;  // in a share of a matrix tile that has several shares
  std::uint32_t shortest_put = 0, longest_put = 0;   // rows, at capacity
  std::uint32_t experts = 0, idle_experts = 0;       // all experts, and those that get no rows
};
Structure structure_of(const DataCheck& check);
// Returns the number of experts that receive no row under a case's routing.
std::uint32_t idle_experts(const DataCase& data_case);

// All comparisons; each fault is a sentence.
struct DataFindings {
  Report report;
  std::vector<std::string> faults;
};

// The delays to check, besides a run without delays.
struct Adversary {
  std::optional<std::uint64_t> seed;  // delays about half of the tasks, drawn from this seed
  bool all = false;                   // delays each operator in turn
};

// Checks all passes, without delays and with the adversary's.
DataFindings check_data(const DataCheck& check, const Adversary& adversary);

// Removes the wait of one task of an operator, delays its writers and reports the wrong result as a fault.
// `which` is `OP:INDEX`, or `OP` for the first of its tasks that gives a wrong result. Throws InputError if
// the operator or task does not exist or waits for nothing.
DataFindings drop_wait(const DataCheck& check, const std::string& which);

}  // namespace a3sim
