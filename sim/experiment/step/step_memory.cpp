#include "sim/experiment/step/step_memory.h"

#include <algorithm>
#include <map>

namespace a3sim {
namespace {

double kept_of(const StageLayout& layout, const std::vector<BlockTimes>& blocks, std::uint32_t chunk) {
  double bytes = 0;
  for (const std::uint32_t block : layout.chunks[chunk]) bytes += blocks[block].kept;
  return bytes;
}

}  // namespace

StageMemory static_memory(const StepOptions& step, const StageLayout& layout,
                          const std::vector<BlockTimes>& blocks, std::uint32_t stage) {
  StageMemory memory;
  const double peers = step.dp * step.cp, expert_peers = static_cast<double>(step.dies_a_stage()) / step.ep;
  double updated = 0, largest = 0;
  const bool spread = step.fsdp, shared = step.optimizer.sharded || spread;
  for (const std::uint32_t b : layout.blocks_of(stage)) {
    const BlockTimes& block = blocks[b];
    const double here =
        block.dense_parameters / (spread ? peers : 1) + block.expert_parameters / (spread ? expert_peers : 1);
    memory.weights += kWeightBytes * here;
    memory.gradients += step.gradient_bytes * here;
    updated +=
        block.dense_parameters / (shared ? peers : 1) + block.expert_parameters / (shared ? expert_peers : 1);
    largest = std::max(largest, kWeightBytes * (block.dense_parameters + block.expert_parameters));
    memory.again = std::max(memory.again, block.kept_again);
  }
  // The weights of the block whose pass runs, and of the next one.
  if (spread) memory.gathered = 2 * largest;
  if (!step.optimizer.swapped) memory.states = (step.optimizer.state_bytes + kMasterBytes) * updated;
  return memory;
}

std::vector<StageMemory> foreseen_memory(const StepOptions& step, const StageLayout& layout,
                                         const std::vector<BlockTimes>& blocks, const StageOrders& orders) {
  std::vector<StageMemory> all;
  for (std::uint32_t s = 0; s < layout.shape.stages; ++s) {
    StageMemory& memory = all.emplace_back(static_memory(step, layout, blocks, s));
    double now = 0;
    for (const StageWork& work : orders[s]) {
      if (work.kind == StageWork::Kind::kWeightGradient) continue;
      now += (work.backward() ? -1 : 1) * kept_of(layout, blocks, work.chunk);
      memory.activations = std::max(memory.activations, now);
    }
  }
  return all;
}

ActivationCurve activations_of(const StepProgram& written, const StreamResult& result, std::uint32_t stage) {
  std::map<Duration, double> changes;
  for (const KeptBytes& kept : written.kept) {
    if (index(written.program.tasks[kept.from_task].rank) != stage) continue;
    changes[result.records[kept.from_task].start.time_since_epoch()] += kept.bytes;
    changes[result.records[kept.to_task].end.time_since_epoch()] -= kept.bytes;
  }
  ActivationCurve curve;
  double now = 0;
  for (const auto& [date, change] : changes) curve.emplace_back(date, now += change);
  return curve;
}

}  // namespace a3sim
