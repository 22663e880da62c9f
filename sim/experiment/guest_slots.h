#pragma once

#include <vector>

#include "sim/experiment/bounds.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/micro_batches.h"
#include "sim/runtime/result.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// Runs taskflows with slots for guests. Each rank has its own experts, followed by slots for other ranks'
// experts. A plan fills the slots anew for every micro-batch. One schedule is compiled, for the most rows
// that any micro-batch sends anywhere, and replayed.
// Rows of a moved expert go straight to its slot once the plan is known. Its home's copy engine brings its
// weights, and products of the slot wait for them.
// Copies take no bandwidth from anything else, and gradients of guests' weights return after the layer.
// Results are therefore, if anything, too good for moving.
class GuestSlots {
 public:
  // The experiment's `method` must be `feplb` (with slots) or `none` (without). Throws InputError for other
  // methods, for hardware without copy engines, and for what compile_pass() refuses.
  GuestSlots(const Experiment& experiment, const Batches& batches);

  // Runs all micro-batches.
  std::vector<MicroBatchResult> run() const;
  // Returns the schedules that all micro-batches share.
  const std::vector<CompiledPass>& passes() const { return compiled_.passes; }
  // Runs one pass of one micro-batch on this hardware. `hooks` may be null, or change the tasks' times.
  RunResult run_pass(std::size_t batch, std::size_t pass, const Hardware& hardware, const Program& program,
                     TaskHooks* hooks) const;
  // Returns the bounds of such a run.
  Bounds bounds(std::size_t batch, std::size_t pass, const Hardware& hardware, const Program& program) const;

  // For tests: the rows of a micro-batch as they are placed, and its moves.
  const RoutingCounts& placed(std::size_t batch) const { return placed_[batch]; }
  const std::vector<ExpertMove>& moves(std::size_t batch) const { return moves_[batch]; }

 private:
  bool is_forward(std::size_t pass) const { return compiled_.passes[pass].name != "backward"; }
  // Returns the bytes of an expert's weights.
  double weights() const { return 2.0 * 3 * experiment_.shape.hidden * experiment_.shape.intermediate; }
  RoutingCounts place(const RoutingCounts& counts, const std::vector<ExpertMove>& moves) const;

  std::uint32_t own_ = 0, slots_ = 0;  // experts and slots of a rank
  Experiment experiment_;
  bool balances_ = false;
  std::vector<std::vector<ExpertMove>> moves_;  // one list per micro-batch
  std::vector<RoutingCounts> placed_;
  Compiled compiled_;
};

}  // namespace a3sim
