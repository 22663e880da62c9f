#include <fmt/format.h>

#include "sim/experiment/step/schedules/dual_order.h"

namespace a3sim {
namespace {

// The second copy of the model lies on the stages the other way round.
std::uint32_t stage_of_copies(const ScheduleShape& shape, std::uint32_t chunk) {
  return chunk < shape.stages ? chunk : 2 * shape.stages - 1 - chunk;
}

std::string why_not_dualpipe(const ScheduleShape& shape) {
  if (shape.chunks_per_stage != 1)
    return fmt::format(
        "dualpipe has two copies of the model, and a chunk of each on a stage: expected parallel.vpp=1, not "
        "{}",
        shape.chunks_per_stage);
  if (shape.stages % 2 != 0)
    return fmt::format("dualpipe sends micro-batches in from both ends: expected an even parallel.pp, not {}",
                       shape.stages);
  if (shape.micro_batches % 2 != 0 || shape.micro_batches < 2 * shape.stages)
    return fmt::format(
        "dualpipe needs at least two micro-batches per stage, half of them from each end: expected an "
        "even number from {} on, not {}",
        2 * shape.stages, shape.micro_batches);
  return {};
}

StageOrders dualpipe_orders(const ScheduleShape& shape) {
  StageOrders orders;
  const std::uint32_t half = shape.stages / 2;
  for (std::uint32_t s = 0; s < shape.stages; ++s) {
    const std::uint32_t first = s, second = 2 * shape.stages - 1 - s;  // its chunks of both copies
    const bool near = s < half;
    orders.push_back(dual_order({half,
                                 near ? s : shape.stages - 1 - s,
                                 shape.micro_batches / 2,
                                 {near ? first : second, near ? second : first},
                                 shape.split_weights,
                                 shape.overlap}));
  }
  return orders;
}

A3SIM_REGISTER(PipelineSchedule, "dualpipe",
               "micro-batches from both ends through two copies of the model (DeepSeek's DualPipe)",
               PipelineSchedule{stage_of_copies, why_not_dualpipe, dualpipe_orders, 2});

}  // namespace
}  // namespace a3sim
