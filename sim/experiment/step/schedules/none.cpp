#include <fmt/format.h>

#include "sim/experiment/step/schedule.h"

namespace a3sim {
namespace {

std::string why_not_accumulation(const ScheduleShape& shape) {
  if (shape.chunks() == 1) return {};
  return fmt::format(
      "none is of one stage, and there are {} chunks of layers: expected parallel.pp=1 and "
      "parallel.vpp=1, or another schedule",
      shape.chunks());
}

// With overlap, the backward pass of a micro-batch runs beside the forward pass of the next one.
StageOrders accumulation_orders(const ScheduleShape& shape) {
  using Kind = StageWork::Kind;
  std::vector<StageWork> order;
  for (std::uint32_t b = 0; b < shape.micro_batches; ++b) {
    if (b == 0 || !shape.overlap) order.push_back({Kind::kForward, 0, b});
    const bool beside = shape.overlap && b + 1 < shape.micro_batches;
    order.push_back({Kind::kBackward, 0, b, beside});
    if (beside) order.push_back({Kind::kForward, 0, b + 1});
  }
  return {order};
}

A3SIM_REGISTER(PipelineSchedule, "none", "one stage: micro-batches one after the other",
               PipelineSchedule{round_robin_stage, why_not_accumulation, accumulation_orders});

}  // namespace
}  // namespace a3sim
