#pragma once

#include <string>
#include <vector>

#include "sim/experiment/step/block_times.h"
#include "sim/experiment/step/collectives.h"
#include "sim/experiment/step/layout.h"
#include "sim/runtime/streams/stream_program.h"

namespace a3sim {

// What a task of a step's program does for its stage.
struct StepTask {
  enum class Kind : std::uint8_t { kCompute, kEp, kTp, kCp, kDp, kPp, kHost, kSwap, kUpdate };
  Kind kind{};
  bool backward = false;  // its work is one of the backward pass
  bool experts = false;   // it belongs to the MoE-FFN, Dispatch to Combine
  bool paired = false;    // it runs beside another micro-batch's pass
  std::uint32_t classes =
      0;  // of its time: place in StepProgram::classes; of others than kCompute and kUpdate none
  std::uint32_t chunk = kNone, micro_batch = kNone;
  bool weights_only = false;  // its work is gradients of weights that were left for later
};

// From when until when a die keeps activations.
struct KeptBytes {
  std::uint32_t from_task = 0, to_task = 0;  // from the start of that one to the end of this one
  double bytes = 0;
};

// A step as streams: a die for each stage, whose peers in its TP, CP, EP and DP groups do the same at the same time.
struct StepProgram {
  StreamProgram program;
  std::vector<StepTask> tasks;  // by task of the program
  std::vector<ClassTimes> classes;
  std::vector<Duration>
      exchanging;  // beside `classes`: of it, while rows are on their way to experts or back
  std::vector<KeptBytes> kept;
  std::vector<std::uint32_t> dies;  // by stage: where its first die lies
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
  kSwapOut
};

// What a step's program is written from.
struct StepParts {
  const Experiment& experiment;
  const StepOptions& step;
  const StageLayout& layout;
  const std::vector<BlockTimes>& blocks;  // by kind of StageLayout::kinds
  std::uint32_t hidden = 0;
};

// Writes the whole step: all micro-batches by the schedule, then gradients, update and weights. Throws std::logic_error for
// orders that are no schedule: walk_schedule() says what is wrong.
StepProgram write_step(const StepParts& parts, const StageOrders& orders);

}  // namespace a3sim
