#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/routing/routing.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"

// What each task of a schedule does and how long that takes alone, worked out anew from what operators mean, to check
// the engine against. Of the engine's side it has the compiled schedule and the machine's values only.
namespace a3sim::reference {

// An answer of the L2 to all accesses of an operator: it has every byte, but some come from HBM all the same, and
// some push others out. The bytes that this makes must be whole numbers.
struct L2Answer {
  double hbm_read = 0, hbm_written = 0;  // bytes a byte read; bytes a byte read or written
};

// A part of a task in which it uses memory evenly.
struct Phase {
  std::int64_t alone = 0;                          // picoseconds on an otherwise idle machine
  long double l2_read = 0, l2_write = 0, hbm = 0;  // bytes
};

struct Task {
  std::vector<Phase> phases;
  // Of a put to another rank, which has no phases:
  bool put = false;
  std::uint32_t dst = 0;
  std::int64_t bytes = 0;
  bool whole_lines = true;
  long double hbm_here = 0, hbm_there = 0;  // bytes of reads that its bytes take the HBM at both ends
};

struct Question {
  const Schedule& schedule;
  const RoutingCounts& capacity;
  const RoutingCounts& counts;
  const Hardware& hardware;                   // of this rank: its clock
  const Program& program;                     // with what a matrix task takes to start
  const std::map<std::string, L2Answer>& l2;  // by operator; none: every byte is a hit
};

// By task of this rank. Throws std::logic_error for operators that it does not know.
std::vector<Task> tasks_of(const Question& question, std::uint32_t rank);

}  // namespace a3sim::reference
