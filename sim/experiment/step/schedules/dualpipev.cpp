#include <fmt/format.h>

#include <deque>

#include "sim/experiment/step/schedule.h"

namespace a3sim {
namespace {

// Writes one stage's list, in the order of DeepSeek's dualpipev.py. Phase 0 goes down through the stages,
// phase 1 back up, so that a stage holds a chunk of each.
class DualPipeVOrder {
 public:
  DualPipeVOrder(const ScheduleShape& shape, std::uint32_t stage) : shape_(shape), stage_(stage) {}

  std::vector<StageWork> order() {
    const std::uint32_t p = shape_.stages, s = stage_, m = shape_.micro_batches, after = p - 1 - s;
    for (std::uint32_t i = 0; i < 2 * after; ++i) forward(0);
    for (std::uint32_t i = 0; i < s + 1; ++i) {
      forward(0);
      forward(1);
    }
    for (std::uint32_t i = 0; i < after; ++i) {
      backward(1, true);
      weights();
      forward(1);
    }
    for (std::uint32_t i = 0; i < m - 2 * p + s + 1; ++i) {
      if (i == 0 && after == 0) {
        forward(0);
        backward(1, false);
      } else {
        pair(0, 1);
      }
      pair(1, 0);
    }
    for (std::uint32_t i = 0; i < after; ++i) {
      backward(1, false);
      pair(1, 0);
    }
    cool_down(after);
    return std::move(list_);
  }

 private:
  using Kind = StageWork::Kind;

  // Weight gradients of the second half are delayed until the stage would wait.
  void cool_down(std::uint32_t after) {
    const std::uint32_t rest = stage_ + 1;
    bool split = false;
    for (std::uint32_t i = 0; i < rest; ++i) {
      if (i == rest / 2 && stage_ % 2 == 1) split = shape_.split_weights;
      backward(1, split);
      if (i == rest / 2 && stage_ % 2 == 0) split = shape_.split_weights;
      backward(0, split);
    }
    for (std::uint32_t i = 0; i < after; ++i) {
      weights();
      backward(0, shape_.split_weights);
    }
    while (!put_off_.empty()) weights();
  }

  std::uint32_t chunk_of(std::uint32_t phase) const {
    return phase == 0 ? stage_ : 2 * shape_.stages - 1 - stage_;
  }
  void forward(std::uint32_t phase) {
    list_.push_back({Kind::kForward, chunk_of(phase), forwards_[phase]++});
  }
  void backward(std::uint32_t phase, bool split) {
    list_.push_back(
        {split ? Kind::kActivationGradient : Kind::kBackward, chunk_of(phase), backwards_[phase]++});
    if (split) put_off_.push_back(list_.back());
  }
  void weights() {
    if (put_off_.empty()) return;
    list_.push_back({Kind::kWeightGradient, put_off_.front().chunk, put_off_.front().micro_batch});
    put_off_.pop_front();
  }
  void pair(std::uint32_t forward_phase, std::uint32_t backward_phase) {
    forward(forward_phase);
    list_.back().with_next = shape_.overlap;
    backward(backward_phase, false);
  }

  const ScheduleShape& shape_;
  std::uint32_t stage_;
  std::uint32_t forwards_[2] = {0, 0}, backwards_[2] = {0, 0};  // one entry per phase: micro-batches so far
  std::deque<StageWork> put_off_;
  std::vector<StageWork> list_;
};

std::uint32_t stage_in_v(const ScheduleShape& shape, std::uint32_t chunk) {
  return chunk < shape.stages ? chunk : 2 * shape.stages - 1 - chunk;
}

std::string why_not_dualpipev(const ScheduleShape& shape) {
  if (shape.chunks_per_stage != 2)
    return fmt::format(
        "dualpipev has two chunks of layers a stage, one each way: expected parallel.vpp=2, not {}",
        shape.chunks_per_stage);
  if (shape.micro_batches < 2 * shape.stages)
    return fmt::format("dualpipev needs two micro-batches a stage at least: expected {} or more, not {}",
                       2 * shape.stages, shape.micro_batches);
  return {};
}

StageOrders dualpipev_orders(const ScheduleShape& shape) {
  StageOrders orders;
  for (std::uint32_t s = 0; s < shape.stages; ++s) orders.push_back(DualPipeVOrder(shape, s).order());
  return orders;
}

A3SIM_REGISTER(
    PipelineSchedule, "dualpipev",
    "a V over the stages: forward passes down it beside backward passes up it (DeepSeek's DualPipeV)",
    PipelineSchedule{stage_in_v, why_not_dualpipev, dualpipev_orders});

}  // namespace
}  // namespace a3sim
