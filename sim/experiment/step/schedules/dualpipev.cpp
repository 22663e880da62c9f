#include <fmt/format.h>

#include "sim/experiment/step/schedules/dual_order.h"

namespace a3sim {
namespace {

std::uint32_t stage_in_v(const ScheduleShape& shape, std::uint32_t chunk) {
  return chunk < shape.stages ? chunk : 2 * shape.stages - 1 - chunk;
}

std::string why_not_dualpipev(const ScheduleShape& shape) {
  if (shape.chunks_per_stage != 2)
    return fmt::format(
        "dualpipev has two chunks of layers per stage, one each way: expected parallel.vpp=2, not {}",
        shape.chunks_per_stage);
  if (shape.micro_batches < 2 * shape.stages)
    return fmt::format("dualpipev needs at least two micro-batches per stage: expected {} or more, not {}",
                       2 * shape.stages, shape.micro_batches);
  return {};
}

StageOrders dualpipev_orders(const ScheduleShape& shape) {
  StageOrders orders;
  // Phase 0 goes down through the stages, phase 1 back up, so that a stage holds a chunk of each.
  for (std::uint32_t s = 0; s < shape.stages; ++s)
    orders.push_back(dual_order({shape.stages,
                                 s,
                                 shape.micro_batches,
                                 {s, 2 * shape.stages - 1 - s},
                                 shape.split_weights,
                                 shape.overlap}));
  return orders;
}

A3SIM_REGISTER(
    PipelineSchedule, "dualpipev",
    "a V over the stages: forward passes down it beside backward passes up it (DeepSeek's DualPipeV)",
    PipelineSchedule{stage_in_v, why_not_dualpipev, dualpipev_orders});

}  // namespace
}  // namespace a3sim
