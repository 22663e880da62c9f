#include "sim/experiment/step/step_memory.h"

#include <algorithm>
#include <utility>

namespace a3sim {
namespace {

// A block's pass of a stage.
struct BlockPass {
  using Kind = StageWork::Kind;
  Kind kind;
  std::uint32_t block;
  bool with_next = false;  // a forward pass beside the backward one that follows
  bool fetches() const { return kind == Kind::kBackward || kind == Kind::kActivationGradient; }
};

class StagePasses {
 public:
  StagePasses(const StageLayout& layout, const std::vector<BlockTimes>& blocks)
      : layout_(layout), blocks_(blocks) {}

  std::vector<BlockPass> of(const std::vector<StageWork>& order) {
    for (std::size_t w = 0; w < order.size(); ++w) {
      if (!order[w].with_next) {
        add(order[w]);
        continue;
      }
      const StageWork& other = order[w + 1];
      order[w].backward() ? add_both(other, order[w]) : add_both(order[w], other);
      ++w;
    }
    return std::move(passes_);
  }

 private:
  void add(const StageWork& work) {
    const std::vector<std::uint32_t>& chunk = layout_.chunks[work.chunk];
    for (std::size_t b = 0; b < chunk.size(); ++b)
      passes_.push_back({work.kind, work.backward() ? chunk[chunk.size() - 1 - b] : chunk[b]});
  }
  // Two passes beside one another: the first block of one beside the last of the other, but blocks without
  // experts by themselves.
  void add_both(const StageWork& ahead, const StageWork& back) {
    const std::vector<std::uint32_t>&f = layout_.chunks[ahead.chunk], &b = layout_.chunks[back.chunk];
    for (std::size_t i = 0, j = b.size(); i < f.size() || j > 0;) {
      const bool forwards = i < f.size(), backwards = j > 0;
      const bool ahead_alone = forwards && (!backwards || !has_experts(f[i]));
      const bool back_alone = !ahead_alone && backwards && (!forwards || !has_experts(b[j - 1]));
      if (!back_alone) passes_.push_back({ahead.kind, f[i++], !ahead_alone});
      if (!ahead_alone) passes_.push_back({back.kind, b[--j]});
    }
  }
  bool has_experts(std::uint32_t block) const { return blocks_[block].expert_parameters > 0; }

  const StageLayout& layout_;
  const std::vector<BlockTimes>& blocks_;
  std::vector<BlockPass> passes_;
};

// Returns the most that a stage's passes keep. Of what waits at the host, a block's part leaves beside the pass behind its
// forward one, and comes back beside the pass before its backward one; it stays until weight gradients are computed.
double most_kept(const std::vector<BlockPass>& passes, const std::vector<BlockTimes>& blocks,
                 const StepOptions& step) {
  using Kind = StageWork::Kind;
  const auto kept = [&](const BlockPass& pass) {
    return blocks[pass.block].kept - offloaded_bytes(step, blocks[pass.block]);
  };
  const auto moved = [&](const BlockPass& pass) { return offloaded_bytes(step, blocks[pass.block]); };
  double now = 0, most = 0, coming = 0, leaving = 0;
  std::vector<double> comes(passes.size());  // during each pass, for the one after it
  for (std::size_t p = passes.size(); p-- > 0;) {
    comes[p] = coming;
    if (passes[p].kind == Kind::kWeightGradient) continue;
    if (passes[p].with_next)
      coming = moved(passes[p + 1]);
    else if (p == 0 || !passes[p - 1].with_next)
      coming = passes[p].fetches() ? moved(passes[p]) : 0;
  }
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const BlockPass& pass = passes[p];
    const bool weights = pass.kind == Kind::kWeightGradient;
    if (pass.kind == Kind::kForward) now += kept(pass);
    if (pass.kind == Kind::kActivationGradient) now += moved(pass);
    const bool own = pass.kind == Kind::kForward || pass.kind == Kind::kBackward;
    const double beside = pass.with_next ? moved(passes[p + 1]) + comes[p + 1] : comes[p];
    most = std::max(most, now + (own ? moved(pass) : 0) + beside + leaving);
    const bool of_pair = p > 0 && passes[p - 1].with_next;
    leaving = pass.kind == Kind::kForward ? moved(pass) : of_pair ? moved(passes[p - 1]) : 0;
    if (pass.kind == Kind::kBackward || weights) now -= kept(pass);
    if (weights) now -= moved(pass);
  }
  return most;
}

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
    memory.activations = most_kept(StagePasses(layout, blocks).of(orders[s]), blocks, step);
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
    const Duration time = changes[c].first;
    double change = 0;
    for (; c < changes.size() && changes[c].first == time; ++c) change += changes[c].second;
    curve.emplace_back(time, now += change);
  }
  return curve;
}

}  // namespace a3sim
