#include "sim/runtime/hosts/data_pipeline.h"

#include <algorithm>

namespace a3sim {
namespace {

constexpr Duration kNever = Duration::max() / 4;

Duration after(Duration start, Duration length) { return start >= kNever ? kNever : start + length; }

}  // namespace

// Computes the recurrences of a tandem with blocking. A batch begins when the previous one has left its stage
// (with w workers: the one w before). It leaves when it is done, earlier ones have left, and the next queue
// has room, because the batch a queue's length before has begun its next stage or was taken.
DataPipeline::Batch DataPipeline::made(const std::vector<Batch>& batches, const std::vector<Duration>& taken,
                                       const DataOptions& options) {
  const std::size_t i = batches.size();
  const Duration lengths[] = {options.read, options.process, options.fetch};
  Batch batch;
  for (std::size_t s = 0; s < batch.size(); ++s) {
    Stage& stage = batch[s];
    const std::size_t workers = s == 1 ? options.workers : 1;
    if (s > 0) stage.start = batch[s - 1].left;
    if (i >= workers) stage.start = std::max(stage.start, batches[i - workers][s].left);
    if (i >= 1) stage.start = std::max(stage.start, batches[i - 1][s].start);
    stage.end = after(stage.start, lengths[s]);
    stage.left = stage.end;
    if (i >= 1) stage.left = std::max(stage.left, batches[i - 1][s].left);
    if (i < options.queue) continue;
    const std::size_t before = i - options.queue;
    const Duration room = s + 1 < batch.size()    ? batches[before][s + 1].start
                          : before < taken.size() ? taken[before]
                                                  : kNever;
    stage.left = std::max(stage.left, room);
  }
  return batch;
}

const DataPipeline::Batch& DataPipeline::next(const Options& options) {
  while (batches_.size() <= taken_.size())
    batches_.push_back(
        made(batches_, taken_, options(forgotten_ + static_cast<std::uint32_t>(batches_.size()))));
  return batches_[taken_.size()];
}

void DataPipeline::take(Duration time) {
  constexpr std::uint32_t kForget = 256;  // more than the number of batches on which a later one depends
  taken_.push_back(time);
  if (taken_.size() < 2 * kForget) return;
  batches_.erase(batches_.begin(), batches_.begin() + kForget);
  taken_.erase(taken_.begin(), taken_.begin() + kForget);
  forgotten_ += kForget;
}

std::array<std::uint8_t, 3> DataPipeline::fill(const Options& options, Duration time) const {
  const auto first = static_cast<std::uint32_t>(taken_.size());
  const std::uint32_t queue = options(forgotten_ + first).queue;
  std::vector<Batch> batches = batches_;
  std::array<std::uint32_t, 3> waiting{};
  for (std::uint32_t b = first;; ++b) {
    while (batches.size() <= b) batches.push_back(made(batches, taken_, options(forgotten_ + b)));
    const Batch& batch = batches[b];
    for (std::size_t s = 0; s < batch.size(); ++s) {
      const bool gone = s + 1 < batch.size() && batch[s + 1].start <= time;
      if (batch[s].left <= time && !gone) ++waiting[s];
    }
    if (batch[0].left > time) break;
  }
  std::array<std::uint8_t, 3> percent{};
  for (std::size_t s = 0; s < percent.size(); ++s)
    percent[s] = static_cast<std::uint8_t>(std::min(100U, 100 * waiting[s] / queue));
  return percent;
}

}  // namespace a3sim
