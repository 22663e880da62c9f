#include "sim/experiment/streams/micro_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "sim/core/error.h"
#include "sim/experiment/run/interruption.h"
#include "sim/experiment/streams/first_draw.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

bool is_behind(std::string_view name) { return name == KernelName::kGradients || name == KernelName::kAdd; }

// Returns the sum over all calls by all ranks: each from its first start to its last end.
Duration calls(const StreamPass& pass, std::string_view name) {
  std::vector<std::vector<std::uint32_t>> by_rank(pass.program.ranks);
  for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t) {
    if (pass.program.tasks[t].name == name) by_rank[index(pass.program.tasks[t].rank)].push_back(t);
  }
  Duration sum{};
  for (std::size_t call = 0; call < by_rank.front().size(); ++call) {
    Time start = Time::max(), end{};
    for (const auto& tasks : by_rank) {
      start = std::min(start, pass.result.records[tasks[call]].start);
      end = std::max(end, pass.result.records[tasks[call]].end);
    }
    sum += end - start;
  }
  return sum;
}

// Places experts by the loads before the first micro-batch that counts, as at a checkpoint.
void place_experts(Batches& batches) {
  if (batches.before.empty())
    throw InputError(
        "balance.place=lpt goes by what came before a checkpoint, and recorded counts have nothing before "
        "them: take balance.place=number");
  const RoutingCounts& first = batches.counts.front();
  const std::vector<std::uint32_t> expert_at =
      lpt_places(history_before(batches).mean(), first.experts() / first.ranks());
  for (auto* const drawn : {&batches.before, &batches.counts}) {
    for (RoutingCounts& counts : *drawn) counts = placed(counts, expert_at);
  }
}

// Writes a pass with the same costs on all ranks.
StreamPass written_alike(const Experiment& experiment, const ExpertPlan& plan, KernelCost& cost,
                         bool forward) {
  Layer layer(experiment.shape, cost.hardware(), cost, experiment.work->micro_batches()->with.framework);
  forward ? plan.forward(layer) : plan.backward(layer);
  return {std::move(layer.program), std::move(layer.rows), {}};
}

}  // namespace

double above_mean(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return *std::ranges::max_element(values) - sum / static_cast<double>(values.size());
}

void measure_forward(const StreamPass& pass, MicroBatchResult& result) {
  std::vector<double> products(pass.program.ranks, 0), own(pass.program.ranks, 0);
  for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t) {
    const StreamTask& task = pass.program.tasks[t];
    const StreamRecord& record = pass.result.records[t];
    const std::uint32_t rank = index(task.rank);
    if (task.name == KernelName::kGmm1 || task.name == KernelName::kGmm2)
      products[rank] += seconds(record.end - record.start);
    if (task.stream == Layer::kCompute)
      own[rank] = std::max(own[rank], seconds(record.end.time_since_epoch()));
    if (task.stream != Layer::kBulk) {
      for (const StreamTransfer& transfer : task.transfers)
        result.copied += static_cast<std::uint64_t>(transfer.bytes.count);
    }
  }
  result.forward = pass.latency();
  result.gemm_straggler = above_mean(products);
  result.waste = above_mean(own) / seconds(result.forward);
  result.dispatch = calls(pass, KernelName::kDispatch);
  result.combine = calls(pass, KernelName::kCombine);
}

Duration StreamPass::latency() const { return result.records[last()].end.time_since_epoch(); }

std::uint32_t StreamPass::last() const {
  std::uint32_t last = 0;
  for (std::uint32_t t = 1; t < program.tasks.size(); ++t) {
    if (counts(t) && result.records[t].end > result.records[last].end) last = t;
  }
  return last;
}

bool StreamPass::counts(std::uint32_t task) const { return !is_behind(program.tasks[task].name); }

Duration StreamPass::ends_apart() const {
  std::vector<Time> ends(program.ranks);
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    Time& end = ends[index(program.tasks[t].rank)];
    if (counts(t)) end = std::max(end, result.records[t].end);
  }
  const auto [first, last] = std::ranges::minmax(ends);
  return last - first;
}

void check_copy_engines(const Experiment& experiment) {
  if (!experiment.hardware.copy_engine) {
    throw InputError(
        fmt::format("{}: machine '{}' says nothing of copy engines: include hardware/h100_node.yaml or "
                    "hardware/a3_sdma.yaml, or add the block hardware.copy_engine",
                    experiment.name, experiment.hardware.name));
  }
  if (experiment.program.host && experiment.program.bulk) return;
  throw InputError(fmt::format(
      "{}: program '{}' says nothing of the host's steps and of kernels that dispatch: include "
      "programs/feplb.yaml or programs/feplb_a3.yaml, or add the blocks program.host and program.bulk",
      experiment.name, experiment.program.name));
}

void check_streams(const Experiment& experiment) {
  if (const std::string why = experiment.work->why_no_programs(); !why.empty())
    throw InputError(experiment.name + ": " + why);
  check_copy_engines(experiment);
  if (experiment.shape.experts() == 0 || element_bits(experiment.shape.dtype) != 16) {
    throw InputError(
        experiment.name +
        ": streams run a MoE layer of two bytes per value: experiment.workload=moe_ffn, model.dtype=bf16");
  }
  const MicroBatchOptions& options = *experiment.work->micro_batches();
  const Method& method = Methods::get(options.method);
  const std::uint32_t taken =
      method.workers_taken ? method.workers_taken(options.with, experiment.program.bulk->workers) : 0;
  if (taken >= experiment.hardware.workers.count(CoreUnit::kVector)) {
    throw InputError(fmt::format(
        "{}: {} workers communicate of {} in all, which leaves none to compute: make {} "
        "smaller",
        experiment.name, taken, experiment.hardware.workers.count(CoreUnit::kVector), method.taken_by));
  }
}

namespace {

// Draws the first `most` of the micro-batches that count.
Batches draw_first(const Experiment& experiment, std::uint32_t seed, std::uint32_t most) {
  Batches batches;
  RoutingSpec spec = experiment.routing;
  spec.seed += seed;
  const bool drifts = Routings::get(spec.kind).drifts();
  // Recorded routings have no history before their first micro-batch.
  const std::uint32_t before = drifts && Routings::get(spec.kind).reads_file() ? 0 : kBatchesBefore;
  const MicroBatchOptions& options = *experiment.work->micro_batches();
  const std::uint32_t all = before + std::min(options.micro_batches, most);
  for (std::uint32_t b = 0; b < all; ++b) {
    std::vector<RoutingCounts>& to = b < before ? batches.before : batches.counts;
    spec.micro_batch = experiment.routing.micro_batch + b;
    if (b > 0 && !drifts)
      to.push_back(batches.before.front());
    else
      to.push_back(route(spec, experiment.shape));
  }
  if (options.place == PlaceBy::kLpt) place_experts(batches);
  return batches;
}

}  // namespace

Batches draw_batches(const Experiment& experiment, std::uint32_t seed) {
  return draw_first(experiment, seed, experiment.work->micro_batches()->micro_batches);
}

Batches draw_first_batch(const Experiment& experiment) { return draw_first(experiment, 0, 1); }

LoadHistory history_before(const Batches& batches) {
  LoadHistory history(batches.counts.front().experts());
  for (const RoutingCounts& counts : batches.before) history.add(MicroBatch(counts, history).rows);
  return history;
}

std::unique_ptr<ExpertPlan> plan_of(const Experiment& experiment, const MicroBatch& batch, KernelCost& cost) {
  const MicroBatchOptions& options = *experiment.work->micro_batches();
  const Layer layer(experiment.shape, cost.hardware(), cost, options.with.framework);
  return Methods::get(options.method).assign(batch, options.with, layer);
}

StreamPass write_stream_pass(const Experiment& experiment, const ExpertPlan& plan, KernelCost& cost,
                             bool forward) {
  StreamPass pass = written_alike(experiment, plan, cost, forward);
  std::map<std::pair<double, double>, StreamPass> others;  // by clock and HBM
  for (std::uint32_t r = 0; r < experiment.run.ranks.size(); ++r) {
    const RankOptions& rank = experiment.run.ranks[r];
    if (rank.clock == 1 && rank.hbm == 1) continue;
    const auto [other, is_new] = others.try_emplace({rank.clock, rank.hbm});
    if (is_new) {
      const Hardware own = hardware_of(cost.hardware(), rank);
      KernelCost own_cost(own, cost.program(), experiment.cut.tiling);
      other->second = written_alike(experiment, plan, own_cost, forward);
      if (other->second.program.tasks.size() != pass.program.tasks.size())
        throw std::logic_error("a plan writes other tasks for another clock");
    }
    for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t)
      if (index(pass.program.tasks[t].rank) == r) pass.program.tasks[t] = other->second.program.tasks[t];
  }
  return pass;
}

void run_again(StreamPass& pass, const Experiment& experiment, const KernelCost& cost, TaskHooks* hooks) {
  check_interruption();
  Progress progress("tasks", pass.program.tasks.size());
  InterruptibleHooks interruptible(hooks, progress);
  pass.result = run_streams(
      pass.program, cost.hardware(), dies_of(experiment.run.ranks), backend_in_threads(experiment),
      {interruptible.hooks(), experiment.run.cables, experiment.run.ranks, experiment.run.disturbances});
}

StreamPass run_stream_pass(const Experiment& experiment, const ExpertPlan& plan, KernelCost& cost,
                           bool forward) {
  StreamPass pass = write_stream_pass(experiment, plan, cost, forward);
  run_again(pass, experiment, cost);
  return pass;
}

std::vector<MicroBatchResult> run_micro_batches(const Experiment& experiment, const Batches& batches) {
  check_streams(experiment);
  const Hardware hardware = sustained(experiment.hardware);
  KernelCost cost(hardware, experiment.program, experiment.cut.tiling);
  LoadHistory history = history_before(batches);
  std::vector<MicroBatchResult> results;
  for (const RoutingCounts& counts : batches.counts) {
    const MicroBatch batch(counts, history);
    MicroBatchResult& result = results.emplace_back();
    const auto plan = plan_of(experiment, batch, cost);
    measure_forward(run_stream_pass(experiment, *plan, cost, true), result);
    result.backward = run_stream_pass(experiment, *plan, cost, false).latency();
    result.rows = plan->rows();
    result.token_straggler = above_mean(result.rows);
    history.add(batch.rows);
  }
  return results;
}

}  // namespace a3sim
