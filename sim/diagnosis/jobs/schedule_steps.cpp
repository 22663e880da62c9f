#include <algorithm>

#include "models/operators/operator.h"
#include "sim/diagnosis/jobs/pass_run.h"
#include "sim/diagnosis/jobs/step_hooks.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

std::uint32_t rows_of(const Experiment& experiment, const RoutingCounts& counts, std::uint32_t rank) {
  if (counts.experts() == 0) return 0;
  const std::uint32_t local = counts.experts() / experiment.shape.ep;
  std::uint32_t rows = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src)
    for (std::uint32_t e = 0; e < local; ++e) rows += counts.at(src, rank * local + e);
  return rows;
}

bool moves(const OperatorInfo& op) { return Operators::get(op.type).mover() != Mover::kNone; }

// An operator of the compiler's that writes nothing is none of the graph.
PassWork::Operator described(const OperatorInfo& op) {
  const bool matrix = Operators::get(op.type).unit() == CoreUnit::kMatrix;
  return {op.outputs.empty() ? "" : op.name, moves(op) ? Lane::kCommunication : Lane::kCompute,
          matrix ? CoreKind::kCube : CoreKind::kVector};
}

PassWork::Axes axes_of(const Ssc& ssc, const OperatorInfo& op) {
  if (op.outputs.empty()) return {};
  const TensorInfo& out = ssc.tensors()[index(op.outputs.front())];
  PassWork::Axes axes{out.rows, out.cols, 0};
  if (Operators::get(op.type).unit() == CoreUnit::kMatrix && !op.inputs.empty())
    axes.reduced = ssc.tensors()[index(op.inputs.front())].cols;
  return axes;
}

double requested(const L2Traffic::Requests& requests) {
  return static_cast<double>(requests.hit + requests.miss + requests.bypass) * kL2Request;
}

PassWork::Task work_of(const TaskDescriptor& td, const TaskRecord& record, bool sends) {
  PassWork::Task task;
  task.op = td.op;
  task.computes = !sends;
  task.asked = record.taken.time_since_epoch();
  task.start = record.start.time_since_epoch();
  task.end = record.end.time_since_epoch();
  task.run = record.end - record.start;
  task.arithmetic = record.arithmetic;
  task.operations = static_cast<double>(record.operations);
  task.hbm_bytes = static_cast<double>(record.l2.hbm_read + record.l2.hbm_write);
  task.l2_bytes = requested(record.l2.read) + requested(record.l2.write);
  task.sent_bytes = static_cast<double>(record.put_bytes);
  return task;
}

TransferRecord transfer_of(std::uint32_t rank, const TaskDescriptor& td, const TaskRecord& task,
                           const Topology& topology) {
  TransferRecord record;
  record.src = rank;
  record.dst = td.dst;
  record.op = td.op;
  record.plane = static_cast<std::uint16_t>(topology.level(RankId{rank}, RankId{td.dst}).plane);
  record.start = task.start.time_since_epoch();
  record.end = task.done.time_since_epoch();
  record.bytes = static_cast<double>(task.put_bytes);
  record.lost_sharing = static_cast<float>(microseconds(task.lost[static_cast<std::size_t>(Limit::kLink)]));
  return record;
}

PassWork work_of(const PassRun& run, const Schedule& schedule, const RunResult& result) {
  const Experiment& experiment = run.variant->experiment;
  const Topology topology(experiment.hardware, experiment.program, dies_of(experiment.run.ranks),
                          experiment.run.transport);
  PassWork work;
  std::vector<bool> moved;  // by operator
  for (const OperatorInfo& op : schedule.front().operators()) {
    work.operators.push_back(described(op));
    moved.push_back(moves(op));
  }
  for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
    const std::span<const TaskDescriptor> tasks = schedule[rank].tasks();
    std::vector<PassWork::Task>& done = work.ranks.emplace_back();
    done.reserve(tasks.size());
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const TaskRecord& record = result.ranks[rank].records[t];
      const bool sends = moved[tasks[t].op] && tasks[t].dst != rank;
      done.push_back(work_of(tasks[t], record, sends));
      if (sends && record.put_bytes > 0)
        work.transfers.push_back(transfer_of(rank, tasks[t], record, topology));
    }
    std::vector<PassWork::Axes>& axes = work.axes.emplace_back();
    for (const OperatorInfo& op : schedule[rank].operators()) axes.push_back(axes_of(schedule[rank], op));
    work.clocks.push_back(static_cast<float>(run.conditions->clock[rank]));
  }
  return work;
}

// Steps of schedules.
class ScheduleSteps final : public StepWork {
 public:
  // Compiles the experiment, and runs it once to count its operations.
  explicit ScheduleSteps(const Experiment& experiment);
  RanPass run(const PassRun& run, KernelLaunches* launches, bool record) const override;

 private:
  std::vector<LightRecord> light_records(const PassRun& run, const RunResult& result) const;

  Compiled compiled_;
  std::vector<std::vector<double>> operations_;  // of each pass and rank
  std::vector<std::uint32_t> rows_;              // one entry per rank: rows that its experts compute
};

ScheduleSteps::ScheduleSteps(const Experiment& experiment) : compiled_(compile_all(experiment)) {
  const std::uint32_t ranks = experiment.shape.ep;
  for (std::uint32_t r = 0; r < ranks; ++r) rows_.push_back(rows_of(experiment, compiled_.counts, r));
  for (std::size_t p = 0; p < compiled_.passes.size(); ++p) {
    UnheldLaunches launches(ranks);
    RunOptions options = options_of(experiment, true);
    if (Executions::get(experiment.run.execution).launches_kernels(experiment.run.transport))
      options.launches = &launches;
    std::vector<double>& operations = operations_.emplace_back();
    for (const RankResult& rank : run_pass(experiment, compiled_, p, options).ranks) {
      double sum = 0;
      for (const TaskRecord& task : rank.records) sum += static_cast<double>(task.operations);
      operations.push_back(sum);
    }
  }
}

RanPass ScheduleSteps::run(const PassRun& run, KernelLaunches* launches, bool record) const {
  const Experiment changed = run.experiment();
  const Schedule& schedule = compiled_.passes[run.pass].schedule;
  RunOptions options = options_of(changed, record);
  std::unique_ptr<TaskHooks> jitter;
  if (run.noise.any())
    jitter =
        std::make_unique<TaskJitter>(schedule, run.jitter(), run.step, static_cast<std::uint32_t>(run.pass));
  StepHooks hooks(std::move(jitter), run.conditions->operators,
                  [&](RankId rank, std::uint32_t task) -> const std::string& {
                    const Ssc& ssc = schedule[index(rank)];
                    return ssc.operators()[ssc.tasks()[task].op].name;
                  });
  options.hooks = hooks.hooks();
  const LinkDisturbances links = run.links();
  if (links.any()) options.disturbances = &links;
  if (run.variant->by_kernels) options.launches = launches;
  const RunResult result = run_pass(changed, compiled_, run.pass, options);
  RanPass ran{result.makespan, light_records(run, result), nullptr};
  if (record) ran.work = std::make_shared<PassWork>(work_of(run, schedule, result));
  return ran;
}

std::vector<LightRecord> ScheduleSteps::light_records(const PassRun& run, const RunResult& result) const {
  const WorkerKinds& kinds = run.variant->experiment.workers;
  std::vector<LightRecord> records(result.ranks.size());
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    const RankResult& rank_result = result.ranks[rank];
    LightRecord& record = records[rank];
    record.arrival = rank_result.done;
    record.waited = rank_result.waits.waited;
    record.longest = rank_result.waits.longest;
    record.whom = rank_result.waits.whom;
    record.operations = operations_[run.pass][rank];
    record.bytes = static_cast<double>(rank_result.sent);
    record.rows = rows_[rank];
    record.aic_busy = static_cast<float>(microseconds(rank_result.busy[kinds.queue_for(CoreUnit::kMatrix)]));
    record.aiv_busy = static_cast<float>(microseconds(rank_result.busy[kinds.queue_for(CoreUnit::kVector)]));
    record.transfer = static_cast<float>(microseconds(rank_result.transfer));
  }
  return records;
}

}  // namespace

StepNames schedule_step_names(const Experiment& experiment) {
  StepNames names;
  for (const Pass& pass : experiment.passes) {
    names.passes.push_back(pass.name);
    for (const OperatorNode& op : pass.graph.operators())
      if (std::ranges::find(names.operators, op.name) == names.operators.end())
        names.operators.push_back(op.name);
  }
  return names;
}

std::unique_ptr<const StepWork> schedule_steps(const Experiment& experiment) {
  return std::make_unique<ScheduleSteps>(experiment);
}

}  // namespace a3sim
