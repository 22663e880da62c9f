#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/routing/routing.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"

// Work and time of each task of a schedule, derived again from the meaning of operators, to check the
// engine. It takes only the compiled schedule and the machine's values from the engine's side.
namespace a3sim::reference {

// The L2's answer to all accesses of an operator: it has every byte, but some come from HBM all the same,
// and some evict others. The resulting bytes must be whole numbers.
struct L2Answer {
  double hbm_read = 0, hbm_written = 0;  // HBM bytes per byte read; per byte read or written
};

// A part of a task in which it uses memory evenly.
struct Phase {
  std::int64_t alone = 0;                          // picoseconds on an otherwise idle machine
  long double l2_read = 0, l2_write = 0, hbm = 0;  // bytes
};

struct Task {
  std::vector<Phase> phases;
  // For a put to another rank, which has no phases:
  bool put = false;
  std::uint32_t dst = 0;
  std::int64_t bytes = 0;
  bool whole_lines = true;
  long double hbm_here = 0, hbm_there = 0;  // HBM use at source and destination, as bytes of reads
};

struct Question {
  const Schedule& schedule;
  const RoutingCounts& capacity;
  const RoutingCounts& counts;
  const Hardware& hardware;                   // of this rank, for its clock
  const Program& program;                     // for the start of a matrix task
  const std::map<std::string, L2Answer>& l2;  // by operator; not there: every byte is a hit
};

// Returns one entry per task of the rank. Throws std::logic_error for an unknown operator.
std::vector<Task> tasks_of(const Question& question, std::uint32_t rank);

}  // namespace a3sim::reference
