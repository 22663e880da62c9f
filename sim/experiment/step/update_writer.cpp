#include "sim/experiment/step/update_writer.h"

#include "models/blocks/fp8_casts.h"
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
      stages_(parts.layout.shape.stages) {
  // FSDP moves each block by itself.
  const double least = step_.fsdp ? 0 : step_.bucket;
  for (std::uint32_t c = 0; c < layout_.shape.chunks(); ++c)
    weights_.emplace_back(buckets_.emplace_back(layout_, blocks_, c, least).all().size());
  for (const std::vector<AfterTasks>& chunk : weights_) are_cast_.emplace_back(chunk.size(), false);
}

ParameterCounts UpdateWriter::of_stage(std::uint32_t stage) const {
  ParameterCounts sum;
  for (const std::uint32_t block : layout_.blocks_of(stage)) sum.add(blocks_[block]);
  return sum;
}

double UpdateWriter::updated(std::uint32_t stage) const {
  const ParameterCounts all = of_stage(stage);
  return step_.updated(all.dense, all.expert);
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
  settle(job, hardware_);
  return job;
}

AfterTasks UpdateWriter::gather(const ChunkWork& work, ParameterCounts parameters, AfterTasks after) {
  const DieGroup dense = tasks_.dense_group(), expert = tasks_.expert_group();
  if (step_.copies > 1) {
    const StepTasks::Ring copies[] = {
        {tasks_.copies_of(work.stage),
         (parameters.dense / dense.ranks + parameters.expert / expert.ranks) * kWeightBytes}};
    after = tasks_.ring(work, "GatherCopies", StepStream::kDp, copies, std::move(after));
  }
  const StepTasks::Ring rings[] = {{dense, parameters.dense * kWeightBytes},
                                   {expert, parameters.expert * kWeightBytes}};
  return tasks_.ring(work, "Gather", StepStream::kDp, rings, std::move(after));
}

AfterTasks UpdateWriter::reduce(const ChunkWork& work, ParameterCounts parameters, bool last,
                                AfterTasks after) {
  const double bytes = step_.reduce_bytes * (step_.spreads_states() ? 1 : 2);  // else all dies need all sums
  const DieGroup dense = tasks_.dense_group(), expert = tasks_.expert_group();
  const StepTasks::Ring rings[] = {{dense, parameters.dense * bytes}, {expert, parameters.expert * bytes}};
  after = tasks_.ring(work, "Reduce", StepStream::kReduce, rings, std::move(after));
  if (last && step_.copies > 1) {
    // A stage and its mirror image hold the same chunks. Each adds up its half, unless all need all sums.
    const double all = step_.spreads_states()
                           ? parameters.dense / dense.ranks + parameters.expert / expert.ranks
                           : parameters.all();
    const StepTasks::Ring copies[] = {{tasks_.copies_of(work.stage), all * bytes}};
    after = tasks_.ring(work, "ReduceCopies", StepStream::kReduce, copies, std::move(after));
  }
  if (!last || step_.replicas == 1) return after;
  const double part = 2.0 * step_.reduce_bytes;
  const StepTasks::Ring others[] = {{tasks_.across(dense), parameters.dense * part / dense.ranks},
                                    {tasks_.across(expert), parameters.expert * part / expert.ranks}};
  return tasks_.ring(work, "ReduceReplicas", StepStream::kReduce, others, std::move(after));
}

void UpdateWriter::gather_ahead(std::uint32_t stage) {
  if (step_.fsdp || !step_.optimizer.sharded || !overlaps(DpOverlap::kGather)) return;
  for (const std::uint32_t chunk : layout_.chunks_of(stage))
    for (std::size_t b = 0; b < buckets_[chunk].all().size(); ++b)
      weights_[chunk][b] = gather({stage, chunk, kNone, false}, buckets_[chunk].all()[b].parameters, {});
}

AfterTasks UpdateWriter::gathered(const ChunkWork& work, AfterTasks after) {
  const std::size_t number = buckets_[work.chunk].of(work.layer);
  AfterTasks& weights = weights_[work.chunk][number];
  if (step_.fsdp) {
    Stage& stage = stages_[work.stage];
    weights = gather(work, buckets_[work.chunk].all()[number].parameters, stage.before_last);
    stage.before_last = after;
  }
  after.insert(after.end(), weights.begin(), weights.end());
  weights.clear();
  if (!step_.fsdp && are_cast_[work.chunk][number]) return after;
  are_cast_[work.chunk][number] = true;
  return cast(work, buckets_[work.chunk].all()[number], std::move(after));
}

// Weights that stay have both copies. A pass that has gathered its own needs one.
AfterTasks UpdateWriter::cast(const ChunkWork& work, const ParameterBucket& bucket, AfterTasks after) {
  const double elements = bucket.parameters.fp8;
  if (elements == 0) return after;
  const std::span<const ElementwiseKernel> both = cast_passes(step_.fp8);
  std::vector<ElementwiseKernel> passes(both.begin(), both.end());
  if (step_.fsdp) passes.back() = cast_pass(step_.fp8);
  PartWork kernels;
  for (const ElementwiseKernel& pass : passes) {
    MemoryJob job = cost_.vector({pass.read * elements,
                                  pass.written * elements,
                                  {static_cast<std::uint64_t>(pass.simple * elements),
                                   static_cast<std::uint64_t>(pass.convert * elements), 0}},
                                 experiment_.workers.count(CoreUnit::kVector));
    settle(job, hardware_);
    kernels.add(job, TimeClass::kVector);
    kernels.hold += experiment_.program.launch.queued;
    ++kernels.launches;
  }
  at(kernels.classes, TimeClass::kRest) += kernels.hold;
  return tasks_.compute(work, "Cast", kernels, std::move(after));
}

AfterTasks UpdateWriter::computed(const ChunkWork& work, AfterTasks after, bool last) {
  Stage& stage = stages_[work.stage];
  stage.computed = after;
  const ParameterBucket& bucket = buckets_[work.chunk].all()[buckets_[work.chunk].of(work.layer)];
  if (work.layer != bucket.first) return after;
  const bool beside = step_.fsdp || overlaps(DpOverlap::kReduce);
  if (step_.spreads_gradients() || (last && beside))
    stage.reduced = reduce({work.stage, work.chunk, kNone, true}, bucket.parameters, last, after);
  return step_.spreads_gradients() && !beside ? stage.reduced : after;
}

void UpdateWriter::finish(std::uint32_t number) {
  Stage& stage = stages_[number];
  AfterTasks after = stage.computed;
  if (!step_.spreads_gradients() && !overlaps(DpOverlap::kReduce))
    after = reduce({number, kNone, kNone, true}, of_stage(number), true, std::move(after));
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
  gather(work, of_stage(number), std::move(after));
}

}  // namespace a3sim
