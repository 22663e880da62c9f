#include "sim/experiment/step/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace a3sim {
namespace {

std::string_view words_of(StageWork::Kind kind) {
  constexpr std::string_view kWords[] = {"forward", "backward", "activation gradient", "weight gradient"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string words_of(const StageWork& work) {
  return fmt::format("{} of micro-batch {} in chunk {}", words_of(work.kind), work.micro_batch, work.chunk);
}

class ScheduleWalker {
 public:
  ScheduleWalker(const PipelineSchedule& schedule, const ScheduleShape& shape, const StageOrders& orders,
                 const ScheduleTimes& times)
      : schedule_(schedule), shape_(shape), orders_(orders), times_(times) {
    for (auto* const ends : {&forward_, &backward_, &weights_})
      ends->resize(std::size_t{shape.chunks()} * shape.micro_batches);
    walk_.busy.resize(shape.stages);
    walk_.live.resize(shape.stages);
  }

  ScheduleWalk walk() {
    std::vector<std::size_t> next(shape_.stages, 0);
    std::vector<Duration> free(shape_.stages);
    std::vector<std::uint32_t> live(shape_.stages, 0);
    for (bool moved = true; moved && walk_.wrong.empty();) {
      moved = false;
      for (std::uint32_t s = 0; s < shape_.stages; ++s) {
        while (next[s] < orders_[s].size() && step(s, next[s], free[s], live[s])) moved = true;
      }
    }
    for (std::uint32_t s = 0; s < shape_.stages && walk_.wrong.empty(); ++s) {
      if (next[s] < orders_[s].size())
        walk_.wrong = fmt::format("stage {} waits for ever before its {}", s, words_of(orders_[s][next[s]]));
      walk_.makespan = std::max(walk_.makespan, free[s]);
    }
    if (walk_.wrong.empty()) find_missing();
    return std::move(walk_);
  }

 private:
  using Ends = std::vector<std::optional<Duration>>;

  std::size_t at(const StageWork& work) const { return at(work.chunk, work.micro_batch); }
  std::size_t at(std::uint32_t chunk, std::uint32_t micro_batch) const {
    return std::size_t{chunk} * shape_.micro_batches + micro_batch;
  }

  // Returns when the inputs of the work are ready, or nullopt if they are not yet.
  std::optional<Duration> ready(const StageWork& work) const {
    if (work.kind == StageWork::Kind::kForward)
      return shape_.is_first(work.chunk) ? Duration::zero() : forward_[at(work.chunk - 1, work.micro_batch)];
    if (work.kind == StageWork::Kind::kWeightGradient) return backward_[at(work)];
    const auto own = forward_[at(work)];
    if (!own || shape_.is_last(work.chunk)) return own;
    const auto after = backward_[at(work.chunk + 1, work.micro_batch)];
    return after ? std::optional(std::max(*own, *after)) : std::nullopt;
  }

  Duration time_of(const StageWork& work) const {
    switch (work.kind) {
      case StageWork::Kind::kForward:
        return times_.forward;
      case StageWork::Kind::kActivationGradient:
        return times_.activation_gradient;
      case StageWork::Kind::kWeightGradient:
        return times_.weight_gradient;
      case StageWork::Kind::kBackward:
        return times_.activation_gradient + times_.weight_gradient;
    }
    return {};
  }

  // Takes the stage's next work, or pair. Returns false if it must wait or if there is an error.
  bool step(std::uint32_t stage, std::size_t& next, Duration& free, std::uint32_t& live) {
    const std::vector<StageWork>& order = orders_[stage];
    const bool pair = order[next].with_next;
    if (pair && next + 1 == order.size()) return refuse(order[next], "has nothing to run beside");
    const std::size_t behind = next + (pair ? 2 : 1);
    Duration from = free;
    for (std::size_t w = next; w < behind; ++w) {
      if (!sound(stage, order[w])) return false;
      const auto time = ready(order[w]);
      if (!time) return false;
      from = std::max(from, *time);
    }
    const Duration time = pair ? times_.pair : time_of(order[next]);
    for (; next < behind; ++next) end(order[next], from + time, live, stage);
    walk_.busy[stage] += time;
    free = from + time;
    return true;
  }

  bool sound(std::uint32_t stage, const StageWork& work) {
    if (work.chunk >= shape_.chunks() || work.micro_batch >= shape_.micro_batches_a_copy())
      return refuse(work, "is none of the step's");
    if (schedule_.stage_of(shape_, work.chunk) != stage) return refuse(work, "is of another stage's chunk");
    const Ends& ends = work.kind == StageWork::Kind::kForward          ? forward_
                       : work.kind == StageWork::Kind::kWeightGradient ? weights_
                                                                       : backward_;
    return !ends[at(work)] || refuse(work, "runs twice");
  }

  bool refuse(const StageWork& work, std::string_view why) {
    walk_.wrong = fmt::format("the {} {}", words_of(work), why);
    return false;
  }

  void end(const StageWork& work, Duration time, std::uint32_t& live, std::uint32_t stage) {
    if (work.kind == StageWork::Kind::kForward) {
      forward_[at(work)] = time;
      walk_.live[stage] = std::max(walk_.live[stage], ++live);
    } else if (work.kind == StageWork::Kind::kWeightGradient) {
      weights_[at(work)] = time;
    } else {
      backward_[at(work)] = time;
      --live;
      if (work.kind == StageWork::Kind::kBackward) weights_[at(work)] = time;
    }
  }

  void find_missing() {
    for (std::uint32_t c = 0; c < shape_.chunks(); ++c) {
      for (std::uint32_t b = 0; b < shape_.micro_batches_a_copy(); ++b) {
        if (weights_[at(c, b)]) continue;
        walk_.wrong = fmt::format("micro-batch {} has no weight gradients in chunk {}", b, c);
        return;
      }
    }
  }

  const PipelineSchedule& schedule_;
  const ScheduleShape& shape_;
  const StageOrders& orders_;
  const ScheduleTimes& times_;
  Ends forward_, backward_, weights_;  // one entry per chunk, then micro-batch
  ScheduleWalk walk_;
};

}  // namespace

ScheduleWalk walk_schedule(const PipelineSchedule& schedule, const ScheduleShape& shape,
                           const StageOrders& orders, const ScheduleTimes& times) {
  return ScheduleWalker(schedule, shape, orders, times).walk();
}

}  // namespace a3sim
