#include "sim/experiment/step/block_writer.h"

#include <algorithm>

namespace a3sim {
namespace {

constexpr const char *kAttention = "Attention", *kFeedForward = "FFN", *kSharedExperts = "Shared",
                     *kExperts = "Experts", *kDispatch = "Dispatch", *kCombine = "Combine", *kAgain = "Again",
                     *kWeights = "Weights", *kExpertWeights = "ExpertWeights";

AfterTasks joined(AfterTasks a, const AfterTasks& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

const ExpertTimes& BlockWriter::drawn(const ChunkWork& work, const BlockTimes& block) const {
  const auto draws = static_cast<std::uint32_t>(block.experts.size());
  const ScheduleShape& shape = layout_.shape;
  const auto blocks = static_cast<std::uint32_t>(layout_.blocks() / shape.copies);
  const std::uint32_t micro_batch =
      work.micro_batch + work.chunk / shape.chunks_a_copy() * shape.micro_batches_a_copy();
  return block.experts[draw_number(experiment_.routing.seed, draws, work.layer % blocks, micro_batch)];
}

AfterTasks BlockWriter::forward_experts(const ChunkWork& work, const ExpertPass& pass, AfterTasks after) {
  after = tasks_.exchange(work, kDispatch, pass.in, std::move(after), true);
  after = tasks_.compute(work, kExperts, pass.experts, std::move(after), true);
  return tasks_.exchange(work, kCombine, pass.out, std::move(after));
}

AfterTasks BlockWriter::forward(const ChunkWork& work, std::uint32_t number, AfterTasks after) {
  const BlockTimes& block = blocks_[number];
  after = tasks_.compute(work, kAttention, at(block.forward, BlockPart::kAttention), std::move(after));
  const PartWork& shared = at(block.forward, BlockPart::kShared);
  if (block.experts.empty()) {
    after = tasks_.compute(work, kSharedExperts, shared, std::move(after));
    return tasks_.compute(work, kFeedForward, at(block.forward, BlockPart::kExperts), std::move(after));
  }
  const ExpertPass& pass = drawn(work, block).forward;
  if (step_.overlap == EpOverlap::kNone) {
    after = tasks_.compute(work, kSharedExperts, shared, std::move(after));
    return forward_experts(work, pass, std::move(after));
  }
  // Shared experts run while rows are on their way.
  AfterTasks rows = tasks_.exchange(work, kDispatch, pass.in, after, true);
  const AfterTasks beside = tasks_.compute(work, kSharedExperts, shared, after);
  rows = tasks_.compute(work, kExperts, pass.experts, std::move(rows), true);
  return joined(tasks_.exchange(work, kCombine, pass.out, std::move(rows)), beside);
}

AfterTasks BlockWriter::again(const ChunkWork& work, const BlockTimes& block, AfterTasks after) {
  after = tasks_.compute(work, kAgain, at(block.again, BlockPart::kAttention), std::move(after));
  after = tasks_.compute(work, kAgain, at(block.again, BlockPart::kShared), std::move(after));
  after = tasks_.compute(work, kAgain, at(block.again, BlockPart::kExperts), std::move(after));
  return block.experts_again ? forward_experts(work, drawn(work, block).forward, std::move(after)) : after;
}

AfterTasks BlockWriter::backward(const ChunkWork& work, std::uint32_t number, AfterTasks after, bool split) {
  const BlockTimes& block = blocks_[number];
  after = again(work, block, std::move(after));
  const auto compute = [&](const char* name, const PartWork& part, bool experts = false) {
    after = tasks_.compute(work, name, part, std::move(after), experts);
  };
  const auto shared = [&] {
    compute(kSharedExperts, at(block.activation, BlockPart::kShared));
    if (!split) compute(kWeights, at(block.weights, BlockPart::kShared));
  };
  if (block.experts.empty()) {
    shared();
    compute(kFeedForward, at(block.activation, BlockPart::kExperts));
    if (!split) compute(kWeights, at(block.weights, BlockPart::kExperts));
  } else if (const ExpertPass& pass = drawn(work, block).backward; step_.overlap == EpOverlap::kNone) {
    after = tasks_.exchange(work, kCombine, pass.in, std::move(after));
    compute(kExperts, pass.experts, true);
    if (!split) compute(kExpertWeights, pass.weights, true);
    after = tasks_.exchange(work, kDispatch, pass.out, std::move(after));
    shared();
  } else {
    // Shared experts run while gradients of rows arrive, and weight gradients while they leave.
    AfterTasks rows = tasks_.exchange(work, kCombine, pass.in, after);
    shared();
    const AfterTasks beside = after;
    after = std::move(rows);
    compute(kExperts, pass.experts, true);
    rows = tasks_.exchange(work, kDispatch, pass.out, after);
    if (!split) compute(kExpertWeights, pass.weights, true);
    after = joined(std::move(rows), beside);
  }
  compute(kAttention, at(block.activation, BlockPart::kAttention));
  if (!split) compute(kWeights, at(block.weights, BlockPart::kAttention));
  return after;
}

AfterTasks BlockWriter::weights(const ChunkWork& work, std::uint32_t number, AfterTasks after) {
  const BlockTimes& block = blocks_[number];
  if (!block.experts.empty())
    after = tasks_.compute(work, kExpertWeights, drawn(work, block).backward.weights, std::move(after), true);
  PartWork all = at(block.weights, BlockPart::kExperts);
  all.add(at(block.weights, BlockPart::kShared));
  all.add(at(block.weights, BlockPart::kAttention));
  return tasks_.compute(work, kWeights, all, std::move(after));
}

void BlockWriter::both(Pair& pair, std::uint32_t forward_block, std::uint32_t backward_block, bool split) {
  const BlockTimes &f = blocks_[forward_block], &b = blocks_[backward_block];
  if (f.experts.empty() || b.experts.empty()) {
    pair.after_forward = forward(pair.forward, forward_block, std::move(pair.after_forward));
    pair.after_backward = backward(pair.backward, backward_block, std::move(pair.after_backward), split);
    return;
  }
  const ExpertPass &ahead = drawn(pair.forward, f).forward, &back = drawn(pair.backward, b).backward;
  AfterTasks &fa = pair.after_forward, &ba = pair.after_backward;
  ba = again(pair.backward, b, std::move(ba));
  pair.forward.slowness = pair.backward.slowness = slowness(pair, f, b);
  const AfterTasks gradients = ba;
  ba = tasks_.exchange(pair.backward, kCombine, back.in, std::move(ba));
  fa = tasks_.compute(pair.forward, kAttention, at(f.forward, BlockPart::kAttention), std::move(fa));
  const AfterTasks own = fa;
  fa = tasks_.exchange(pair.forward, kDispatch, ahead.in, std::move(fa), true);
  ba = tasks_.compute(pair.backward, kExperts, back.experts, std::move(ba), true);
  if (!split && !step_.weights_beside)
    ba = tasks_.compute(pair.backward, kExpertWeights, back.weights, std::move(ba), true);
  AfterTasks rows = tasks_.exchange(pair.backward, kDispatch, back.out, ba);
  if (!split && step_.weights_beside) tasks_.compute(pair.backward, kExpertWeights, back.weights, ba, true);
  const AfterTasks shared =
      tasks_.compute(pair.forward, kSharedExperts, at(f.forward, BlockPart::kShared), own);
  fa = tasks_.compute(pair.forward, kExperts, ahead.experts, std::move(fa), true);
  fa = joined(tasks_.exchange(pair.forward, kCombine, ahead.out, std::move(fa)), shared);
  AfterTasks beside =
      tasks_.compute(pair.backward, kSharedExperts, at(b.activation, BlockPart::kShared), gradients);
  if (!split)
    beside = tasks_.compute(pair.backward, kWeights, at(b.weights, BlockPart::kShared), std::move(beside));
  ba = joined(std::move(rows), beside);
  ba = tasks_.compute(pair.backward, kAttention, at(b.activation, BlockPart::kAttention), std::move(ba));
  if (!split)
    ba = tasks_.compute(pair.backward, kWeights, at(b.weights, BlockPart::kAttention), std::move(ba));
  pair.forward.slowness = pair.backward.slowness = 1;
}

double BlockWriter::slowness(const Pair& pair, const BlockTimes& ahead, const BlockTimes& back) const {
  // If cores of another kind move rows, they take nothing from those that multiply.
  if (step_.exchange != ExpertExchange::kStreams || !experiment_.workers.one_queue()) return 1;
  Duration exchanges{}, kernels{};
  for (const ExpertPass* const pass :
       {&drawn(pair.forward, ahead).forward, &drawn(pair.backward, back).backward}) {
    exchanges += pass->in.alone() + pass->out.alone();
    kernels += pass->experts.alone() + pass->weights.alone();
  }
  for (const PartWorks* const works : {&ahead.forward, &back.activation, &back.weights})
    for (const PartWork& part : *works) kernels += part.alone();
  const double all = experiment_.workers.count(CoreUnit::kMatrix), held = experiment_.program.bulk->workers;
  return 1 + held / (all - held) * std::min(1.0, seconds(exchanges) / seconds(kernels));
}

}  // namespace a3sim
