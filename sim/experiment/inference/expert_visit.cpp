#include "sim/experiment/inference/expert_visit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "models/balance/replicas.h"
#include "models/graph/expert_parallel.h"
#include "sim/core/error.h"
#include "sim/experiment/config/alike_ranks.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/kernel_lists.h"
#include "sim/experiment/config/mega_moe_config.h"
#include "sim/experiment/config/order_file.h"
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

// A layer's experts as an experiment of their own. The step counts launches.
Experiment layer_of_experts(const Experiment& experiment) {
  Experiment layer = experiment;
  layer.work = taskflow_work();
  layer.program.launch = {};
  layer.network = "native";
  layer.representatives = layer.routing.kind == "balanced" ? alike_ranks(layer) : 0;
  return layer;
}

// Dispatch and Combine alone.
Experiment exchanges_of(const Experiment& experiment, const InferenceOptions& options) {
  Experiment layer = layer_of_experts(experiment);
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
  return layer;
}

// MegaMoE's kernel, in the order in which its public source has its work.
Experiment mega_moe_of(const Experiment& experiment) {
  Experiment layer = layer_of_experts(experiment);
  Diagnostics read_before;
  const Config root = Config::from(*experiment.tree, {}, read_before);
  const MegaMoeOptions options = read_mega_moe_options(root.map("mega_moe"), layer.shape, layer.workers);
  layer.passes = {{"forward", mega_moe_graph(layer.shape, options)}};
  layer.absent = mega_moe_operators();
  layer.program.tasks.scalar_row = {};  // of the loop over rows in the library's Dispatch
  layer.run.execution = "static";
  layer.run.transport = Transport::kPuts;
  layer.run.launch = Launch::kNone;
  layer.cut = {};
  layer.cut.shares = layer.workers.count(CoreUnit::kMatrix);
  layer.cut.tiling = experiment.cut.tiling;
  layer = with_order(std::move(layer), read_order_file(configs_folder() / "orders" / "mega_moe.yaml"));
  layer.order.elsewhere.insert(layer.order.elsewhere.end(), layer.absent.begin(), layer.absent.end());
  return layer;
}

std::vector<PassResult> run_alike(Experiment& layer) {
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
  const Duration flows = time_of_ports(layer.hardware.fabric, kernel.transfers);
  kernel.barriers = std::max(Duration::zero(), pass.run.makespan - flows);
  return {kernel};
}

// The host's exchange holds no cores. Its transfers end together: all go at the collective's rate, or as fast as the fullest
// port lets them. What the pass takes beside it are kernels that sort rows, before dispatch or behind combine.
std::vector<InferenceKernel> host_exchange(const char* name, const Experiment& layer,
                                           const InferenceOptions& options, const PassResult& pass,
                                           DieGroup group, bool before) {
  const Program::Collective& collective = layer.program.collective;
  const double sent = sent_by(pass);
  InferenceKernel exchange = exchange_kernel(name, layer, options, sent, group);
  exchange.holds_cores = false;
  exchange.barriers = collective.fixed + collective.per_peer * (group.ranks - 1);
  const double full = seconds(time_of_ports(layer.hardware.fabric, exchange.transfers)),
               paced = sent / static_cast<double>(collective.rate.count);
  for (StreamTransfer& transfer : exchange.transfers) {
    const double part = static_cast<double>(transfer.bytes.count) / sent * std::min(1.0, paced / full);
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

// Experts that are held twice are the busiest ones: rows go to the model's experts, and copies are placed as EPLB places them
// that knows the loads.
Experiment with_copies(const Experiment& stated, const InferencePlan& plan) {
  const std::uint32_t redundant = plan.options.redundant, ep = plan.options.ep,
                      experts = plan.model.experts.count;
  if (redundant == 0 || (stated.routing.kind == "balanced" && !stated.routing.known)) return stated;
  if (experts % ep != 0)
    throw InputError(
        fmt::format("inference.redundant: {} experts without copies on {} dies, expected a divisor where "
                    "routing is not balanced",
                    experts, ep));
  Experiment placed = stated;
  placed.shape.experts_per_rank = experts / ep;
  const RoutingCounts counts = routing_of(placed);
  std::vector<double> loads(experts, 0);
  for (std::uint32_t src = 0; src < counts.ranks(); ++src)
    for (std::uint32_t e = 0; e < experts; ++e) loads[e] += counts.at(src, e);
  placed.shape = stated.shape;
  placed.routing.known =
      std::make_shared<const RoutingCounts>(by_slot(counts, eplb_slots(loads, {ep, experts + redundant})));
  return placed;
}

// The rows of each expert of the rank for which the others wait. Ranks without requests bring none, unless they are padded.
void take_rows(const Experiment& experiment, const InferenceOptions& options, ExpertVisit& visit) {
  const MoeShape& shape = experiment.shape;
  const double part = options.padded ? 1 : options.busy_ranks() / options.ranks();
  if (const std::optional<BusiestRank> busiest = busiest_rank(experiment)) {
    visit.over_mean = busiest->over_mean;
    for (const std::uint32_t rows : busiest->rows)
      visit.rows.push_back(static_cast<std::uint32_t>(std::ceil(rows * part)));
    return;
  }
  const double mean = part * shape.tokens * shape.top_k / shape.experts_per_rank;
  visit.rows.assign(shape.experts_per_rank, static_cast<std::uint32_t>(std::ceil(mean)));
  if (mean < 1) {  // fewer rows than experts
    const auto met = static_cast<std::size_t>(std::ceil(mean * shape.experts_per_rank));
    std::fill(visit.rows.begin() + static_cast<std::ptrdiff_t>(met), visit.rows.end(), 0);
  }
}

InferenceKernel whole_kernel(const Experiment& layer, const InferenceOptions& options, const PassResult& pass,
                             DieGroup group) {
  InferenceKernel kernel = exchange_kernel("MegaMoe", layer, options, sent_by(pass), group);
  kernel.time_class = TimeClass::kGrouped;
  kernel.whole = true;
  kernel.job.ideal = pass.run.makespan;
  return kernel;
}

}  // namespace

ExpertVisit expert_visit(const Experiment& stated, const InferencePlan& plan) {
  const InferenceOptions& options = plan.options;
  const Experiment experiment = with_copies(stated, plan);
  const bool whole = options.experts_by == ExpertKernels::kMegaMoe;
  Experiment layer = whole ? mega_moe_of(experiment) : exchanges_of(experiment, options);
  const std::vector<PassResult> passes = run_alike(layer);
  const std::vector<std::uint32_t> dies = dies_of(layer.run.ranks);
  const DieGroup group{options.ep, dies.size() > 1 ? dies[1] - dies[0] : 1};
  ExpertVisit result;
  take_rows(experiment, options, result);
  if (whole) {
    result.whole = whole_kernel(layer, options, passes.front(), group);
    return result;
  }
  const bool by_host = layer.run.transport == Transport::kCollective;
  const auto exchange = [&](const char* name, const PassResult& pass, bool before) {
    return by_host ? host_exchange(name, layer, options, pass, group, before)
                   : own_exchange(name, layer, options, pass, group);
  };
  result.dispatch = exchange("Dispatch", passes.front(), true);
  result.combine = exchange("Combine", passes.back(), false);
  return result;
}

}  // namespace a3sim
