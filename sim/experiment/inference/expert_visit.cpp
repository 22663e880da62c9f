#include "sim/experiment/inference/expert_visit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/graph/expert_parallel.h"
#include "sim/core/error.h"
#include "sim/experiment/config/alike_ranks.h"
#include "sim/experiment/config/kernel_lists.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/experiment/step/busiest_rank.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

Exchange exchange_by(const Experiment& experiment) {
  if (experiment.run.transport == Transport::kCollective) return Exchange::kCollectives;
  return Executions::get(experiment.run.execution).cut() == ScheduleCut::kFused ? Exchange::kFused
                                                                                : Exchange::kPuts;
}

// Dispatch and Combine of a layer as an experiment of their own. The step counts their launches.
Experiment exchanges_of(const Experiment& experiment, const InferenceOptions& options) {
  Experiment layer = experiment;
  layer.work = taskflow_work();
  layer.program.launch = {};
  const bool quantised = options.experts != WeightType::kBf16;
  const Exchange exchange = exchange_by(experiment);
  const std::uint32_t vectors = experiment.workers.count(CoreUnit::kVector);
  constexpr std::uint32_t kMostRows = 32;
  const std::uint32_t rows = std::clamp(experiment.shape.tokens / (2 * vectors), 1U, kMostRows);
  const ExpertParallelOptions how{quantised ? DataType::kInt8 : experiment.shape.dtype, exchange, rows,
                                  exchange == Exchange::kFused ? vectors : 0, false};
  layer.passes = {{"dispatch", dispatch_graph(layer.shape, how)},
                  {"combine", combine_graph(layer.shape, how)}};
  if (const auto wrong = name_kernels(layer); !wrong.empty())
    throw InputError(fmt::format("experiment.{}: {}", wrong.front().key, wrong.front().why));
  layer.representatives = layer.routing.kind == "balanced" ? alike_ranks(layer) : 0;
  layer.network = "native";
  return layer;
}

std::vector<PassResult> run_exchanges(Experiment& layer) {
  if (layer.representatives > 0) {
    try {
      return run_experiment(layer, false, backend_in_threads(layer));
    } catch (const InputError&) {
      layer.representatives = 0;  // its schedules tell ranks apart
    }
  }
  return run_experiment(layer, false, backend_in_threads(layer));
}

double sent_by(const PassResult& pass) {
  double sent = 0;
  for (const RankResult& rank : pass.run.ranks) sent = std::max(sent, static_cast<double>(rank.sent));
  return sent;
}

InferenceKernel exchange_kernel(const char* name, const Experiment& layer, const InferenceOptions& options,
                                double sent, DieGroup group) {
  InferenceKernel kernel;
  kernel.name = name;
  kernel.time_class = TimeClass::kEp;
  kernel.head = options.launch.head;
  kernel.transfers =
      exchange_transfers(layer.hardware.fabric, group, sent / std::max(1U, group.ranks - 1), 1, RankId{});
  return kernel;
}

// A kernel that moves its rows itself takes what was simulated. Its bytes share the ports with those of other streams.
std::vector<InferenceKernel> own_exchange(const char* name, const Experiment& layer,
                                          const InferenceOptions& options, const PassResult& pass,
                                          DieGroup group) {
  InferenceKernel kernel = exchange_kernel(name, layer, options, sent_by(pass), group);
  const Hardware::Fabric& fabric = layer.hardware.fabric;
  std::vector<double> planes(fabric.planes.size(), 0);  // picoseconds
  for (const StreamTransfer& transfer : kernel.transfers) {
    const Hardware::Fabric::Level& level = fabric.levels[transfer.level];
    planes[level.plane] += static_cast<double>(transfer.bytes.count) / level.payload * 1e12 /
                           static_cast<double>(transfer.rate.count);
  }
  const Duration flows(static_cast<std::int64_t>(*std::ranges::max_element(planes)));
  kernel.barriers = std::max(Duration::zero(), pass.run.makespan - flows);
  return {kernel};
}

// The host's exchange holds no cores. What the pass takes beside it are kernels that sort rows, before dispatch or behind combine.
std::vector<InferenceKernel> host_exchange(const char* name, const Experiment& layer,
                                           const InferenceOptions& options, const PassResult& pass,
                                           DieGroup group, bool before) {
  const Program::Collective& collective = layer.program.collective;
  const double sent = sent_by(pass);
  InferenceKernel exchange = exchange_kernel(name, layer, options, sent, group);
  exchange.holds_cores = false;
  exchange.barriers = collective.fixed + collective.per_peer * (group.ranks - 1);
  for (StreamTransfer& transfer : exchange.transfers) {
    const double part = static_cast<double>(transfer.bytes.count) / sent;
    const auto rate = static_cast<std::int64_t>(static_cast<double>(collective.rate.count) * part);
    transfer.rate = {std::min(transfer.rate.count, std::max<std::int64_t>(1, rate))};
  }
  InferenceKernel rows;
  rows.name = std::string(name) + "Rows";
  rows.time_class = TimeClass::kVector;
  rows.head = options.launch.head;
  const Duration left = pass.run.makespan - (exchange.alone() - exchange.head);
  if (left <= Duration::zero()) return {exchange};
  rows.job.ideal = left;
  const double bytes = layer.hardware.memory.as_reads(sent, sent);
  rows.job.bytes[static_cast<std::size_t>(Resource::kHbm)] =
      std::min(bytes, seconds(left) * static_cast<double>(layer.hardware.memory.hbm_read.count));
  return before ? std::vector{rows, exchange} : std::vector{exchange, rows};
}

}  // namespace

ExpertVisit expert_visit(const Experiment& experiment, const InferencePlan& plan) {
  const InferenceOptions& options = plan.options;
  Experiment layer = exchanges_of(experiment, options);
  const std::vector<PassResult> passes = run_exchanges(layer);
  const std::vector<std::uint32_t> dies = dies_of(layer.run.ranks);
  const DieGroup group{options.ep, dies.size() > 1 ? dies[1] - dies[0] : 1};
  ExpertVisit result;
  const bool by_host = layer.run.transport == Transport::kCollective;
  const auto exchange = [&](const char* name, const PassResult& pass, bool before) {
    return by_host ? host_exchange(name, layer, options, pass, group, before)
                   : own_exchange(name, layer, options, pass, group);
  };
  result.dispatch = exchange("Dispatch", passes.front(), true);
  result.combine = exchange("Combine", passes.back(), false);
  const MoeShape& shape = experiment.shape;
  // Ranks without requests bring no rows, unless they are padded.
  const double part = options.padded ? 1 : options.busy_ranks() / options.ranks();
  if (const std::optional<BusiestRank> busiest = busiest_rank(experiment)) {
    result.over_mean = busiest->over_mean;
    for (const std::uint32_t rows : busiest->rows)
      result.rows.push_back(static_cast<std::uint32_t>(std::ceil(rows * part)));
    return result;
  }
  const double mean = part * shape.tokens * shape.top_k / shape.experts_per_rank;
  result.rows.assign(shape.experts_per_rank, static_cast<std::uint32_t>(std::ceil(mean)));
  if (mean < 1) {  // fewer rows than experts
    const auto met = static_cast<std::size_t>(std::ceil(mean * shape.experts_per_rank));
    std::fill(result.rows.begin() + static_cast<std::ptrdiff_t>(met), result.rows.end(), 0);
  }
  return result;
}

}  // namespace a3sim
