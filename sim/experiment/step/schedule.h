#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/core/units.h"

namespace a3sim {

// A stage's work on one micro-batch in one of its chunks of layers.
struct StageWork {
  enum class Kind : std::uint8_t {
    kForward,
    kBackward,            // gradients of activations and weights
    kActivationGradient,  // gradients of activations only; those of weights follow later
    kWeightGradient
  };
  Kind kind = Kind::kForward;
  std::uint32_t chunk = 0;        // in the order of the forward pass, over all stages
  std::uint32_t micro_batch = 0;  // among those of the chunk's copy of the model
  // It runs beside the next one, so that the communication of one hides behind the other.
  bool with_next = false;

  bool backward() const { return kind == Kind::kBackward || kind == Kind::kActivationGradient; }
  friend bool operator==(const StageWork&, const StageWork&) = default;
};

// The sizes and options that a schedule is made for.
struct ScheduleShape {
  std::uint32_t stages = 1;
  std::uint32_t chunks_per_stage = 1;  // chunks of layers
  std::uint32_t micro_batches = 1;
  // Computes gradients of weights apart from those of activations, if the schedule leaves a choice.
  bool split_weights = false;
  // Runs forward and backward of two micro-batches in pairs, if the schedule leaves a choice.
  bool overlap = false;
  // Copies of the model; each has its part of the micro-batches, and chunks of its own behind those of the copy before.
  std::uint32_t copies = 1;

  std::uint32_t chunks_a_copy() const { return stages * chunks_per_stage; }
  std::uint32_t chunks() const { return chunks_a_copy() * copies; }
  std::uint32_t micro_batches_a_copy() const { return micro_batches / copies; }
  // True for the chunk where a forward pass begins, or ends.
  bool is_first(std::uint32_t chunk) const { return chunk % chunks_a_copy() == 0; }
  bool is_last(std::uint32_t chunk) const { return (chunk + 1) % chunks_a_copy() == 0; }
};

// One entry per stage: its work, in order.
using StageOrders = std::vector<std::vector<StageWork>>;

// An order in which the stages of a pipeline process micro-batches. Each is one file in schedules/,
// registered by name.
struct PipelineSchedule {
  static constexpr std::string_view kKind = "pipeline schedule";
  // Returns the stage that holds a chunk.
  std::uint32_t (*stage_of)(const ScheduleShape& shape, std::uint32_t chunk);
  // Returns why the schedule does not exist for the shape, and what it needs; empty if it exists.
  std::string (*why_not)(const ScheduleShape& shape);
  StageOrders (*orders)(const ScheduleShape& shape);
  std::uint32_t copies = 1;  // of the model that the stages hold
};
using PipelineSchedules = Registry<PipelineSchedule>;

// For schedules: assigns chunks to stages in turn.
inline std::uint32_t round_robin_stage(const ScheduleShape& shape, std::uint32_t chunk) {
  return chunk % shape.stages;
}

// The result of walking the orders of a schedule, if nothing but the stages takes time.
struct ScheduleWalk {
  std::string wrong;           // the first error that makes the orders invalid; empty if there is none
  Duration makespan{};         // of all stages
  std::vector<Duration> busy;  // one entry per stage
  // One entry per stage: the most (chunk, micro-batch) pairs at a time that wait for their backward pass.
  std::vector<std::uint32_t> live;
};
// The times of one work, and of a pair that runs together.
struct ScheduleTimes {
  Duration forward{}, activation_gradient{}, weight_gradient{}, pair{};
};
// Walks the orders until all work has run or nothing can go on. Checks that each work runs once: forward,
// then backward, then weight gradients, along the chunks and back.
ScheduleWalk walk_schedule(const PipelineSchedule& schedule, const ScheduleShape& shape,
                           const StageOrders& orders, const ScheduleTimes& times);

}  // namespace a3sim
