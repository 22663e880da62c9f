#pragma once

#include <vector>

#include "sim/experiment/bounds.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/micro_batches.h"
#include "sim/runtime/result.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// Taskflows with slots for guests: behind each rank's own experts stand places for others', which a plan fills anew for
// every micro-batch. One schedule is compiled, for the most rows that any of them sends anywhere, and replayed. Rows of
// an expert that moves go straight to its slot, once the plan is known; its weights come by the home's copy engine, and
// products of the slot wait for them. Copies take no bandwidth from anything else here, and gradients of guests'
// weights go home behind the layer: what comes out is at most too good for moving.
class GuestSlots {
 public:
  // The experiment says `method: feplb` (with slots), or `none` (without). Throws InputError for other methods, for
  // hardware without copy engines, and as compiling does.
  GuestSlots(const Experiment& experiment, const Batches& batches);

  // Runs all micro-batches.
  std::vector<MicroBatchResult> run() const;
  // The schedules that all of them share.
  const std::vector<CompiledPass>& passes() const { return compiled_.passes; }
  // Runs one pass of one micro-batch on this hardware; `hooks`, if any, say what tasks take beside.
  RunResult run_pass(std::size_t batch, std::size_t pass, const Hardware& hardware, const Program& program,
                     TaskHooks* hooks) const;
  // What no run of it can beat.
  Bounds bounds(std::size_t batch, std::size_t pass, const Hardware& hardware, const Program& program) const;

  // For tests: the rows of a micro-batch as they are placed, and its moves.
  const RoutingCounts& placed(std::size_t batch) const { return placed_[batch]; }
  const std::vector<ExpertMove>& moves(std::size_t batch) const { return moves_[batch]; }

 private:
  bool is_forward(std::size_t pass) const { return compiled_.passes[pass].name != "backward"; }
  // Bytes of an expert.
  double weights() const { return 2.0 * 3 * experiment_.shape.hidden * experiment_.shape.intermediate; }
  RoutingCounts place(const RoutingCounts& counts, const std::vector<ExpertMove>& moves) const;

  std::uint32_t own_ = 0, slots_ = 0;  // experts of a rank
  Experiment experiment_;
  bool balances_ = false;
  std::vector<std::vector<ExpertMove>> moves_;  // by micro-batch
  std::vector<RoutingCounts> placed_;
  Compiled compiled_;
};

}  // namespace a3sim
