#include "sim/experiment/step/step_files.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace a3sim {
namespace {

using StepJson = nlohmann::ordered_json;

StepBlockKind block_kind(const StepTask& task) {
  if (task.kind == StepTask::Kind::kUpdate) return StepBlockKind::kUpdate;
  if (task.weights_only) return StepBlockKind::kWeights;
  return task.backward ? StepBlockKind::kBackward : StepBlockKind::kForward;
}

template <class Row>
std::string step_csv(const std::vector<Row>& rows) {
  std::string csv = csv_header<Row>();
  for (const Row& row : rows) append_row(csv, row);
  return csv;
}

StepJson stage_exchanges_json(const StageAccount& account) {
  StepJson list = StepJson::array();
  for (std::size_t e = 0; e < account.exchanges.size(); ++e) {
    const ExchangeAccount& exchange = account.exchanges[e];
    if (exchange.total == Duration::zero()) continue;
    StepJson hidden = StepJson::object();
    for (std::size_t c = 0; c < exchange.hidden_by.size(); ++c)
      hidden[std::string(kNamesOf<TimeClass>[c])] = exchange.hidden_by[c].count();
    list.push_back({{"exchange", std::string(kNamesOf<ExchangeFor>[e])},
                    {"total_ps", exchange.total.count()},
                    {"exposed_ps", exchange.exposed.count()},
                    {"beside_ps", exchange.beside.count()},
                    {"hidden_by_ps", hidden}});
  }
  return list;
}

StepJson stages_json(const SimulatedStep& step) {
  StepJson stages = StepJson::array();
  for (const StageAccount& account : step.accounts) {
    StepJson classes = StepJson::object();
    for (std::uint32_t c = 0; c < kTimeClasses; ++c)
      classes[std::string(kNamesOf<TimeClass>[c])] = account.classes[c].count();
    stages.push_back({{"classes_ps", classes}, {"exchanges", stage_exchanges_json(account)}});
  }
  const StepOptions& options = step.prepared.plan.step;
  return {{"schema_version", 1},
          {"schedule", options.schedule},
          {"chunks_per_stage", options.vpp * options.copies},
          {"micro_batches", options.micro_batches()},
          {"capacity_bytes", options.capacity.count},
          {"stages", stages}};
}

}  // namespace

std::vector<StepBlock> blocks_of(const SimulatedStep& step) {
  const StepProgram& written = step.run.written;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, StepBlockKind>, StepBlock> found;
  for (std::size_t t = 0; t < written.tasks.size(); ++t) {
    const StepTask& task = written.tasks[t];
    if (task.kind != StepTask::Kind::kCompute && task.kind != StepTask::Kind::kUpdate) continue;
    const std::uint32_t stage = index(written.program.tasks[t].rank);
    const StepBlockKind work = block_kind(task);
    const StreamRecord& record = step.run.result.records[t];
    const Duration from = record.start.time_since_epoch(), to = record.end.time_since_epoch();
    // The slices of an update form one block.
    const bool update = work == StepBlockKind::kUpdate;
    const ScheduleShape& shape = step.prepared.layout.shape;
    const std::uint32_t chunk = update ? kNone : task.chunk;
    const std::uint32_t before = update ? 0 : chunk / shape.chunks_a_copy() * shape.micro_batches_a_copy();
    const std::uint32_t micro_batch = update ? kNone : before + task.micro_batch;
    const auto [at, is_new] = found.try_emplace(
        {stage, chunk, micro_batch, work},
        StepBlock{stage, chunk, micro_batch, work, task.paired ? 1U : 0U, from, to, Duration::zero()});
    StepBlock& block = at->second;
    block.from = std::min(block.from, from);
    block.to = std::max(block.to, to);
    block.kernels += to - from;
  }
  std::vector<StepBlock> blocks;
  for (const auto& [where, block] : found) blocks.push_back(block);
  std::ranges::stable_sort(blocks, {}, [](const StepBlock& b) { return std::pair(b.stage, b.from); });
  return blocks;
}

std::vector<StepMemory> memory_of(const SimulatedStep& step) {
  std::vector<StepMemory> lines;
  for (std::uint32_t stage = 0; stage < step.accounts.size(); ++stage) {
    StageMemory always = step.prepared.memory[stage];
    always.activations = 0;
    const auto add = [&](Duration time, double activations) {
      const double bytes = std::max(0.0, std::round(always.total() + activations));
      lines.push_back({stage, time, static_cast<std::uint64_t>(bytes)});
    };
    const ActivationCurve curve = activations_of(step.run.written, step.run.result, stage);
    if (curve.empty() || curve.front().first > Duration::zero()) add(Duration::zero(), 0);
    for (const auto& [time, bytes] : curve) add(time, bytes);
  }
  return lines;
}

std::vector<NamedFile> step_files(const SimulatedStep& step) {
  return {{std::string(kStepFile), stages_json(step).dump(2) + '\n'},
          {std::string(kStepBlocksFile), step_csv(blocks_of(step))},
          {std::string(kStepMemoryFile), step_csv(memory_of(step))}};
}

}  // namespace a3sim
