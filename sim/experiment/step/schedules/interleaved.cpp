#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/step/schedule.h"

namespace a3sim {
namespace {

// Megatron's order: groups of as many micro-batches as there are stages go through one chunk after another.
struct InterleavedOrder {
  const ScheduleShape& shape;
  std::uint32_t stage;

  StageWork forward(std::uint32_t step) const { return work(StageWork::Kind::kForward, step); }
  StageWork backward(std::uint32_t step) const {
    StageWork stage_work = work(StageWork::Kind::kBackward, step);
    stage_work.chunk = (shape.chunks_per_stage - 1 - stage_work.chunk / shape.stages) * shape.stages + stage;
    return stage_work;
  }

 private:
  StageWork work(StageWork::Kind kind, std::uint32_t step) const {
    const std::uint32_t group = shape.stages * shape.chunks_per_stage;
    // The last group may be smaller if there is one chunk per stage.
    const std::uint32_t in_group = step % group;
    return {kind, in_group / shape.stages * shape.stages + stage,
            step / group * shape.stages + in_group % shape.stages};
  }
};

StageOrders orders_of_interleaved(const ScheduleShape& shape) {
  const std::uint32_t p = shape.stages, v = shape.chunks_per_stage, all = shape.micro_batches * v;
  StageOrders orders;
  for (std::uint32_t s = 0; s < p; ++s) {
    const InterleavedOrder order{shape, s};
    // Overlapping pairs need one more forward pass before them, because the backward pass belongs to an
    // earlier micro-batch.
    const std::uint32_t first =
        (v == 1 ? p - 1 - s : (p - 1 - s) * 2 + (v - 1) * p) + (shape.overlap ? 1 : 0);
    const std::uint32_t warm_up = std::min(all, first);
    std::vector<StageWork>& list = orders.emplace_back();
    for (std::uint32_t f = 0; f < warm_up; ++f) list.push_back(order.forward(f));
    for (std::uint32_t f = warm_up; f < all; ++f) {
      list.push_back(order.forward(f));
      list.back().with_next = shape.overlap;
      list.push_back(order.backward(f - warm_up));
    }
    for (std::uint32_t b = all - warm_up; b < all; ++b) list.push_back(order.backward(b));
  }
  return orders;
}

std::string why_not_1f1b(const ScheduleShape& shape) {
  // Pairs hold a forward pass until the backward one beside it has ended, so that a way there and back takes twice as many of them
  // as there are micro-batches on the way.
  if (shape.overlap && shape.stages > 1)
    return "1f1b has half of the micro-batches on the way that two beside one another need (step.overlap): "
           "expected "
           "step.schedule=interleaved with parallel.vpp=2 or more, dualpipev, or step.overlap=none or "
           "within_one";
  if (shape.chunks_per_stage == 1) return {};
  return "1f1b has one chunk of layers per stage: expected parallel.vpp=1, or step.schedule=interleaved";
}

std::string why_not_interleaved(const ScheduleShape& shape) {
  if (shape.chunks_per_stage == 1 && shape.stages > 1)
    return "interleaved with one chunk of layers per stage is 1f1b: expected parallel.vpp=2 or more, or "
           "step.schedule=1f1b";
  if (shape.micro_batches % shape.stages == 0) return {};
  return fmt::format(
      "interleaved takes micro-batches in groups of {}, the stages, and there are {}: expected a "
      "multiple of {}",
      shape.stages, shape.micro_batches, shape.stages);
}

A3SIM_REGISTER(PipelineSchedule, "1f1b",
               "one forward, one backward; as few micro-batches at a time as stages",
               PipelineSchedule{round_robin_stage, why_not_1f1b, orders_of_interleaved});
A3SIM_REGISTER(PipelineSchedule, "interleaved",
               "1f1b over several chunks of layers per stage, which makes its bubble smaller",
               PipelineSchedule{round_robin_stage, why_not_interleaved, orders_of_interleaved});

}  // namespace
}  // namespace a3sim
