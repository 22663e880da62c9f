#include "sim/experiment/step/update_writer.h"

#include "sim/device/block_cost.h"

namespace a3sim {
UpdateWriter::UpdateWriter(const StepParts& parts, StepTasks& tasks)
    : experiment_(parts.experiment),
      step_(parts.step),
      layout_(parts.layout),
      blocks_(parts.blocks),
      tasks_(tasks),
      hardware_(sustained(parts.experiment.hardware)),
      cost_(hardware_, parts.experiment.program, parts.experiment.cut.tiling),
      stages_(parts.layout.shape.stages),
      weights_(parts.layout.shape.chunks()) {}

UpdateWriter::Parameters UpdateWriter::of_chunk(std::uint32_t chunk) const {
  Parameters sum;
  for (const std::uint32_t block : layout_.chunks[chunk]) {
    sum.dense += blocks_[block].dense_parameters;
    sum.expert += blocks_[block].expert_parameters;
  }
  return sum;
}

UpdateWriter::Parameters UpdateWriter::of_stage(std::uint32_t stage) const {
  Parameters sum;
  for (const std::uint32_t chunk : layout_.chunks_of(stage)) {
    sum.dense += of_chunk(chunk).dense;
    sum.expert += of_chunk(chunk).expert;
  }
  return sum;
}

double UpdateWriter::updated(std::uint32_t stage) const {
  const Parameters all = of_stage(stage);
  if (!step_.optimizer.sharded && !step_.fsdp) return all.dense + all.expert;
  return all.dense / tasks_.dense_group().ranks + all.expert / tasks_.expert_group().ranks;
}

// Gradients are read twice, first for their norm. Moments and master weights are read and written.
MemoryJob UpdateWriter::update_job(double parameters) const {
  const double read = 2.0 * step_.gradient_bytes + step_.optimizer.state_bytes + kMasterBytes;
  const double written = step_.optimizer.state_bytes + kMasterBytes + kWeightBytes;
  constexpr double kSimple = 14, kRoots = 1;  // instructions of Adam and the norm, per element
  const VectorOps ops{static_cast<std::uint64_t>(kSimple * parameters), 0,
                      static_cast<std::uint64_t>(kRoots * parameters)};
  MemoryJob job = cost_.vector({read * parameters, written * parameters, ops},
                               experiment_.workers.count(CoreUnit::kVector));
  job.ideal = time_alone(job, hardware_);
  return job;
}

void UpdateWriter::gather_ahead(std::uint32_t stage) {
  if (step_.fsdp || !step_.optimizer.sharded || !overlaps(DpOverlap::kGather)) return;
  for (const std::uint32_t chunk : layout_.chunks_of(stage)) {
    const Parameters sum = of_chunk(chunk);
    weights_[chunk] = tasks_.ring({stage, chunk, kNone, false}, "Gather", sum.dense * kWeightBytes,
                                  sum.expert * kWeightBytes, {});
  }
}

AfterTasks UpdateWriter::gathered(const ChunkWork& work, std::uint32_t block, AfterTasks after) {
  if (!weights_[work.chunk].empty()) {
    after.insert(after.end(), weights_[work.chunk].begin(), weights_[work.chunk].end());
    weights_[work.chunk].clear();
  }
  if (!step_.fsdp) return after;
  Stage& stage = stages_[work.stage];
  const AfterTasks weights = tasks_.ring(work, "Gather", blocks_[block].dense_parameters * kWeightBytes,
                                         blocks_[block].expert_parameters * kWeightBytes, stage.before_last);
  stage.before_last = after;
  after.insert(after.end(), weights.begin(), weights.end());
  return after;
}

void UpdateWriter::scatter(const ChunkWork& work, std::uint32_t block, const AfterTasks& after) {
  if (!step_.fsdp) return;
  stages_[work.stage].reduced =
      tasks_.ring(work, "Reduce", blocks_[block].dense_parameters * step_.gradient_bytes,
                  blocks_[block].expert_parameters * step_.gradient_bytes, after);
}

void UpdateWriter::computed(const ChunkWork& work, AfterTasks after, bool last) {
  Stage& stage = stages_[work.stage];
  if (last && !step_.fsdp && overlaps(DpOverlap::kReduce)) {
    const Parameters sum = of_chunk(work.chunk);
    const double times = step_.optimizer.sharded ? 1 : 2;  // all dies need all sums
    stage.reduced =
        tasks_.ring({work.stage, work.chunk, kNone, true}, "Reduce", sum.dense * step_.gradient_bytes * times,
                    sum.expert * step_.gradient_bytes * times, after);
  }
  stage.computed = std::move(after);
}

void UpdateWriter::finish(std::uint32_t number) {
  Stage& stage = stages_[number];
  AfterTasks after = stage.computed;
  const ChunkWork work{number, kNone, kNone, true};
  if (!step_.fsdp && !overlaps(DpOverlap::kReduce)) {
    const Parameters sum = of_stage(number);
    const double times = step_.optimizer.sharded ? 1 : 2;
    after = tasks_.ring(work, "Reduce", sum.dense * step_.gradient_bytes * times,
                        sum.expert * step_.gradient_bytes * times, std::move(after));
  }
  after.insert(after.end(), stage.reduced.begin(), stage.reduced.end());
  update(number, std::move(after));
}

void UpdateWriter::update(std::uint32_t number, AfterTasks after) {
  const ChunkWork work{number, kNone, kNone, false};
  const double all = updated(number);
  if (!step_.optimizer.swapped) {
    after = tasks_.update(work, update_job(all), std::move(after));
  } else {
    const double part = all / step_.optimizer.slices,
                 bytes = part * (step_.optimizer.state_bytes + kMasterBytes);
    AfterTasks out;
    for (std::uint32_t s = 0; s < step_.optimizer.slices; ++s) {
      AfterTasks ready = tasks_.swap(work, true, bytes, after);
      ready = tasks_.update(work, update_job(part), std::move(ready));
      out = tasks_.swap(work, false, bytes, std::move(ready));
    }
    after = std::move(out);
  }
  if (step_.fsdp || !step_.optimizer.sharded || overlaps(DpOverlap::kGather)) return;
  const Parameters sum = of_stage(number);
  tasks_.ring(work, "Gather", sum.dense * kWeightBytes, sum.expert * kWeightBytes, std::move(after));
}

}  // namespace a3sim
