#include <fmt/format.h>

#include "sim/experiment/step/schedule.h"

namespace a3sim {
namespace {

// Writes one stage's list. Chunks go down through the stages and back up, so that a stage holds two, here called
// the near and the far one.
class ZbVOrder {
 public:
  ZbVOrder(const ScheduleShape& shape, std::uint32_t stage) : shape_(shape), stage_(stage) {}

  std::vector<StageWork> order() {
    const std::uint32_t p = shape_.stages, m = shape_.micro_batches, after = p - stage_;
    for (std::uint32_t i = 0; i < 2 * after - 1; ++i) add(Kind::kForward, near_);
    for (std::uint32_t i = 0; i < stage_; ++i) {
      add(Kind::kForward, far_);
      add(Kind::kForward, near_);
    }
    for (std::uint32_t i = 0; i < after; ++i) {
      add(Kind::kForward, far_);
      backward(far_);
    }
    while (far_.forwards < m) {
      if (near_.forwards < m) add(Kind::kForward, near_);
      backward(near_);
      add(Kind::kForward, far_);
      backward(far_);
    }
    for (std::uint32_t i = 0; i < stage_; ++i) {
      add(Kind::kActivationGradient, near_);
      add(Kind::kActivationGradient, far_);
    }
    for (std::uint32_t i = 0; i < after; ++i) {
      add(Kind::kActivationGradient, near_);
      add(Kind::kWeightGradient, near_);
    }
    while (far_.weights < m) add(Kind::kWeightGradient, far_);
    while (near_.weights < m) add(Kind::kWeightGradient, near_);
    return std::move(list_);
  }

 private:
  using Kind = StageWork::Kind;
  struct Chunk {
    std::uint32_t number = 0, forwards = 0, gradients = 0, weights = 0;  // micro-batches so far
  };

  void add(Kind kind, Chunk& chunk) {
    std::uint32_t& next = kind == Kind::kForward          ? chunk.forwards
                          : kind == Kind::kWeightGradient ? chunk.weights
                                                          : chunk.gradients;
    list_.push_back({kind, chunk.number, next++});
  }
  void backward(Chunk& chunk) {
    add(Kind::kActivationGradient, chunk);
    add(Kind::kWeightGradient, chunk);
  }

  const ScheduleShape& shape_;
  std::uint32_t stage_;
  Chunk near_{stage_}, far_{2 * shape_.stages - 1 - stage_};
  std::vector<StageWork> list_;
};

std::uint32_t stage_of_zb_v(const ScheduleShape& shape, std::uint32_t chunk) {
  return chunk < shape.stages ? chunk : 2 * shape.stages - 1 - chunk;
}

std::string why_not_zb_v(const ScheduleShape& shape) {
  if (shape.overlap)
    return "zb_v runs no two micro-batches beside one another: expected step.overlap=none or within_one";
  if (shape.chunks_per_stage != 2)
    return fmt::format(
        "zb_v has two chunks of layers per stage, one each way: expected parallel.vpp=2, not {}",
        shape.chunks_per_stage);
  if (shape.micro_batches + 1 < 2 * shape.stages)
    return fmt::format("zb_v needs two micro-batches per stage less one: expected {} or more, not {}",
                       2 * shape.stages - 1, shape.micro_batches);
  return {};
}

StageOrders zb_v_orders(const ScheduleShape& shape) {
  StageOrders orders;
  for (std::uint32_t s = 0; s < shape.stages; ++s) orders.push_back(ZbVOrder(shape, s).order());
  return orders;
}

A3SIM_REGISTER(
    PipelineSchedule, "zb_v",
    "a V over the stages with weight gradients apart: no bubble but the way in (Zero Bubble, ZB-V)",
    PipelineSchedule{stage_of_zb_v, why_not_zb_v, zb_v_orders});

}  // namespace
}  // namespace a3sim
