#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/core/units.h"

namespace a3sim {

// What a stage does with one micro-batch in one of the chunks of layers that it holds.
struct StageWork {
  enum class Kind : std::uint8_t {
    kForward,
    kBackward,            // gradients of activations, and of weights with them
    kActivationGradient,  // of activations alone: the weights' follow later
    kWeightGradient
  };
  Kind kind = Kind::kForward;
  std::uint32_t chunk = 0;  // in the order of the forward pass, over all stages
  std::uint32_t micro_batch = 0;
  bool with_next =
      false;  // it and the next one run beside one another, so that one's communication hides behind the other

  bool backward() const { return kind == Kind::kBackward || kind == Kind::kActivationGradient; }
  friend bool operator==(const StageWork&, const StageWork&) = default;
};

// What a schedule is made for.
struct ScheduleShape {
  std::uint32_t stages = 1;
  std::uint32_t chunks_per_stage = 1;  // of layers
  std::uint32_t micro_batches = 1;
  bool split_weights =
      false;  // gradients of weights apart from those of activations, where the schedule leaves a choice
  bool overlap =
      false;  // forward and backward of two micro-batches in pairs, where the schedule leaves a choice

  std::uint32_t chunks() const { return stages * chunks_per_stage; }
};

// By stage: its work, in order.
using StageOrders = std::vector<std::vector<StageWork>>;

// An order in which the stages of a pipeline take up micro-batches: one file each in schedules/, registered by name.
struct PipelineSchedule {
  static constexpr std::string_view kKind = "pipeline schedule";
  // The stage that holds a chunk.
  std::uint32_t (*stage_of)(const ScheduleShape& shape, std::uint32_t chunk);
  // Why it cannot be made for the shape, with what it takes; empty: it can.
  std::string (*why_not)(const ScheduleShape& shape);
  StageOrders (*orders)(const ScheduleShape& shape);
};
using PipelineSchedules = Registry<PipelineSchedule>;

// For schedules: chunk after chunk, round and round the stages.
inline std::uint32_t round_robin_stage(const ScheduleShape& shape, std::uint32_t chunk) {
  return chunk % shape.stages;
}

// How the orders of a schedule go if nothing but the stages takes time.
struct ScheduleWalk {
  std::string wrong;           // empty, or why the orders are no schedule: the first thing that is wrong
  Duration makespan{};         // of all stages
  std::vector<Duration> busy;  // by stage
  std::vector<std::uint32_t>
      live;  // by stage: the most (chunk, micro-batch) at a time that wait for their backward pass
};
// The times of one work, and of a pair that runs beside one another.
struct ScheduleTimes {
  Duration forward{}, activation_gradient{}, weight_gradient{}, pair{};
};
// Walks the orders: each work once, forward before backward before weight gradients, along the chunks and back, until
// all has run or nothing can go on.
ScheduleWalk walk_schedule(const PipelineSchedule& schedule, const ScheduleShape& shape,
                           const StageOrders& orders, const ScheduleTimes& times);

}  // namespace a3sim
