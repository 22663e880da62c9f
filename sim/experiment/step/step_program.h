#pragma once

#include <string>
#include <vector>

#include "sim/experiment/step/block_times.h"
#include "sim/experiment/step/collectives.h"
#include "sim/experiment/step/layout.h"
#include "sim/runtime/shared_cables.h"
#include "sim/runtime/streams/stream_program.h"

namespace a3sim {

// The role of a program's task in its stage.
struct StepTask {
  enum class Kind : std::uint8_t { kCompute, kEp, kTp, kCp, kDp, kPp, kHost, kSwap, kUpdate };
  Kind kind{};
  bool backward = false;  // it belongs to the backward pass
  bool experts = false;   // it belongs to the MoE-FFN, Dispatch to Combine
  bool paired = false;    // it runs beside another micro-batch's pass
  // Divides its time: index in StepProgram::classes. Only kCompute and kUpdate have one.
  std::uint32_t classes = 0;
  std::uint32_t chunk = kNone, micro_batch = kNone;
  bool weights_only = false;  // it computes gradients of weights that were left for later
};

// The period in which a die keeps activations of a block.
struct KeptBytes {
  std::uint32_t from_task = 0, to_task = 0;  // from the start of `from_task` to the end of `to_task`
  double bytes = 0;
};

// A step as streams. One die represents each stage; its peers in its TP, CP, EP and DP groups do the same at
// the same time.
struct StepProgram {
  StreamProgram program;
  std::vector<StepTask> tasks;  // one entry per task of the program
  std::vector<ClassTimes> classes;
  // One entry per entry of `classes`: the part in which rows are on their way to experts or back.
  std::vector<Duration> exchanging;
  std::vector<KeptBytes> kept;
  std::vector<std::uint32_t> dies;  // one entry per stage: its first die
  std::string fullest_cable;        // that held an exchange up most; empty: none did
  double cable_part = 1;            // of the exchange's rate, what it left
  std::string busiest_cable;        // that takes longest for all that the step sends; empty: there are none
  Duration cable_time{};            // how long, if it never waits
  SharedCables cables;              // that transfers share
};

// The streams of a die.
enum class StepStream : std::uint32_t {
  kHost,
  kCompute,
  kEp,
  kTp,
  kCp,
  kDp,
  kPpForward,
  kPpBackward,
  kSwapIn,
  kSwapOut,
  kReduce  // of gradients, so that gathers of weights overtake them
};

// The inputs from which a step's program is written.
struct StepParts {
  const Experiment& experiment;
  const StepOptions& step;
  const StageLayout& layout;
  const std::vector<BlockTimes>& blocks;  // one entry per kind in StageLayout::kinds
  std::uint32_t hidden = 0;
};

// Writes the whole step: all micro-batches in the order of the schedule, then gradients, update and weights.
// Throws std::logic_error for invalid orders, which walk_schedule() explains.
StepProgram write_step(const StepParts& parts, const StageOrders& orders);

}  // namespace a3sim
