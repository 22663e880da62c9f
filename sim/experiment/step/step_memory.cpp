#include "sim/experiment/step/step_memory.h"

#include <algorithm>
#include <utility>

namespace a3sim {
namespace {

// Activations of a stage's passes, block by block.
class KeptActivations {
 public:
  KeptActivations(const StageLayout& layout, const std::vector<BlockTimes>& blocks, double offload)
      : layout_(layout), blocks_(blocks), offload_(offload) {}

  void forward(std::uint32_t chunk, std::size_t block) {
    now_ += kept(chunk, block);
    most_ = std::max(most_, now_ + moved(chunk, block));
  }
  void backward(std::uint32_t chunk, std::size_t block) {
    // A block's activations come while the one behind it still has its own.
    const std::size_t behind = std::min(block + 1, layout_.chunks[chunk].size() - 1);
    most_ = std::max(most_, now_ + moved(chunk, block) + moved(chunk, behind));
    now_ -= kept(chunk, block);
  }
  void pass(const StageWork& work) {
    for (std::size_t b = 0; b < layout_.chunks[work.chunk].size(); ++b)
      work.kind == StageWork::Kind::kForward ? forward(work.chunk, b) : backward(work.chunk, b);
  }
  // Two passes beside one another: the first block of one beside the last of the other, but blocks without
  // experts by themselves.
  void both(std::uint32_t ahead, std::uint32_t back) {
    const std::size_t all = layout_.chunks[ahead].size();
    for (std::size_t i = 0, j = layout_.chunks[back].size(); i < all || j > 0;) {
      const bool forwards = i < all, backwards = j > 0;
      const bool ahead_alone = forwards && (!backwards || !has_experts(ahead, i));
      const bool back_alone = !ahead_alone && backwards && (!forwards || !has_experts(back, j - 1));
      if (!back_alone) forward(ahead, i++);
      if (!ahead_alone) backward(back, --j);
    }
  }
  double most() const { return most_; }

 private:
  bool has_experts(std::uint32_t chunk, std::size_t block) const {
    return blocks_[layout_.chunks[chunk][block]].expert_parameters > 0;
  }
  double kept(std::uint32_t chunk, std::size_t block) const {
    return (1 - offload_) * blocks_[layout_.chunks[chunk][block]].kept;
  }
  // The bytes that go to the host behind a block's forward pass, and come back.
  double moved(std::uint32_t chunk, std::size_t block) const {
    return offload_ * blocks_[layout_.chunks[chunk][block]].kept;
  }

  const StageLayout& layout_;
  const std::vector<BlockTimes>& blocks_;
  double offload_;
  double now_ = 0, most_ = 0;
};

}  // namespace

StageMemory static_memory(const StepOptions& step, const StageLayout& layout,
                          const std::vector<BlockTimes>& blocks, std::uint32_t stage) {
  StageMemory memory;
  const auto held = [&](const BlockTimes& block, bool spread) {
    return spread ? block.dense_parameters / step.shards() + block.expert_parameters / step.expert_shards()
                  : block.dense_parameters + block.expert_parameters;
  };
  double updated = 0, largest = 0, largest_fp8 = 0;
  for (const std::uint32_t b : layout.blocks_of(stage)) {
    const BlockTimes& block = blocks[b];
    memory.weights += kWeightBytes * held(block, step.fsdp);
    if (!step.fsdp) memory.weights += step.fp8_copy_bytes() * block.fp8_parameters;
    largest_fp8 = std::max(largest_fp8, block.fp8_parameters);
    memory.gradients += step.gradient_bytes * held(block, step.spreads_gradients());
    updated += step.updated(block.dense_parameters, block.expert_parameters);
    largest = std::max(largest, held(block, false));
    memory.again = std::max(memory.again, block.kept_again);
  }
  // The weights of the block whose pass runs, and of the next one; gradients of the one before.
  // In eight bits, what its own pass reads.
  if (step.fsdp) memory.gathered = 2 * kWeightBytes * largest + step.fp8_copy_bytes() / 2 * largest_fp8;
  if (step.spreads_gradients()) memory.gathered += step.reduce_bytes * largest;
  const double master = kMasterBytes - (step.optimizer.reuses_weights ? kWeightBytes : 0);
  if (!step.optimizer.swapped) memory.states = (step.optimizer.state_bytes + master) * updated;
  return memory;
}

std::vector<StageMemory> foreseen_memory(const StepOptions& step, const StageLayout& layout,
                                         const std::vector<BlockTimes>& blocks, const StageOrders& orders) {
  std::vector<StageMemory> all;
  for (std::uint32_t s = 0; s < layout.shape.stages; ++s) {
    StageMemory& memory = all.emplace_back(static_memory(step, layout, blocks, s));
    KeptActivations kept(layout, blocks, step.offload);
    for (std::size_t w = 0; w < orders[s].size(); ++w) {
      const StageWork& work = orders[s][w];
      if (work.with_next) {
        const StageWork& other = orders[s][++w];
        work.backward() ? kept.both(other.chunk, work.chunk) : kept.both(work.chunk, other.chunk);
      } else if (work.kind != StageWork::Kind::kActivationGradient) {
        kept.pass(work);  // weight gradients need what activation gradients do
      }
    }
    memory.activations = kept.most();
  }
  return all;
}

ActivationCurve activations_of(const StepProgram& written, const StreamResult& result, std::uint32_t stage) {
  std::vector<std::pair<Duration, double>> changes;
  for (const KeptBytes& kept : written.kept) {
    if (index(written.program.tasks[kept.from_task].rank) != stage) continue;
    changes.emplace_back(result.records[kept.from_task].start.time_since_epoch(), kept.bytes);
    changes.emplace_back(result.records[kept.to_task].end.time_since_epoch(), -kept.bytes);
  }
  std::ranges::stable_sort(changes, {}, &std::pair<Duration, double>::first);
  ActivationCurve curve;
  double now = 0;
  for (std::size_t c = 0; c < changes.size();) {
    const Duration date = changes[c].first;
    double change = 0;
    for (; c < changes.size() && changes[c].first == date; ++c) change += changes[c].second;
    curve.emplace_back(date, now += change);
  }
  return curve;
}

}  // namespace a3sim
