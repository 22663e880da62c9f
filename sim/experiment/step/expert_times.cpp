#include "sim/experiment/step/expert_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <future>
#include <iterator>
#include <map>
#include <mutex>

#include "models/graph/ungated.h"
#include "models/operators/moves_rows.h"
#include "sim/core/error.h"
#include "sim/core/rng.h"
#include "sim/experiment/config/alike_ranks.h"
#include "sim/experiment/config/kernel_lists.h"
#include "sim/experiment/config/row_form_config.h"
#include "sim/experiment/config/workload.h"
#include "sim/experiment/run/run_estimate.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/experiment/step/busiest_rank.h"
#include "sim/experiment/step/class_sweep.h"
#include "sim/experiment/step/collectives.h"
#include "sim/experiment/step/expert_kernels.h"
#include "sim/experiment/step/stage_cables.h"
#include "sim/experiment/step/training_plan.h"

namespace a3sim {
namespace {

bool draws_routing(const Experiment& experiment) { return Routings::get(experiment.routing.kind).draws(); }

// The experiment under the preset of its experts' pass, on the machine and the program of the experiment.
Experiment under_preset(const Experiment& experiment, bool forward) {
  const TrainingPlan& plan = training_plan_of(experiment);
  const std::shared_ptr<const Experiment>& preset = forward ? plan.forward : plan.backward;
  if (!preset) return experiment;
  Experiment own = *preset;
  own.hardware = experiment.hardware;
  if (!own.hardware.copy_engine) own.hardware.copy_engine = preset->hardware.copy_engine;
  own.program = experiment.program;
  own.run.ranks = experiment.run.ranks;
  own.run.cables = experiment.run.cables;
  own.routing = experiment.routing;
  // What a stored run of the layer is found by.
  std::ranges::copy_if(experiment.values, std::back_inserter(own.values), [](const auto& value) {
    return value.first.starts_with("hardware.") || value.first.starts_with("program.");
  });
  return own;
}

Graph graph_of(const Experiment& layer, bool gated, bool forward, WeightGradients then) {
  if (!gated)
    return forward ? ungated_forward_graph(layer.shape, layer.window)
                   : ungated_backward_graph(layer.shape, layer.window, then);
  return forward ? forward_graph(layer.shape, layer.window) : backward_graph(layer.shape, layer.window, then);
}

// A pass of the layer of a block as an experiment of its own, on the same group of dies.
Experiment layer_experiment(const Experiment& experiment, const BlockExperts& experts, bool forward) {
  Experiment layer = experiment;
  layer.work = taskflow_work();
  layer.window = Window::kFull;
  layer.shape.tokens = static_cast<std::uint32_t>(experts.tokens) / layer.ffn.batches;
  layer.shape.intermediate = experts.intermediate;
  const WeightGradients then = in_kernels(experiment) ? WeightGradients::kAddFp32 : WeightGradients::kNone;
  const Graph graph = graph_of(layer, experts.gated, forward, then);
  layer.passes = {
      {forward ? "forward" : "backward", in_form(graph, layer.shape, layer.ffn, row_form_of(experiment))}};
  if (const auto wrong = name_kernels(layer); !wrong.empty())
    throw InputError(fmt::format("experiment.{}: {}", wrong.front().key, wrong.front().why));
  layer.representatives = layer.routing.kind == "balanced" ? alike_ranks(layer) : 0;
  layer.network = "native";
  return layer;
}

// Measures how one rank of a run spent its time, and when its operators ran.
class RankTimes {
 public:
  RankTimes(const PassResult& pass, std::size_t number)
      : pass_(pass), operators_(pass.schedule[number].operators()) {
    const RankResult& rank = pass.run.ranks[number];
    const std::span<const TaskDescriptor> tasks = pass.schedule[number].tasks();
    spans_.resize(operators_.size(), {Duration::max(), Duration::zero()});
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const TaskRecord& record = rank.records[t];
      add(tasks[t].op, record.start.time_since_epoch(), record.end.time_since_epoch(),
          only_moves_rows(operator_of(tasks[t].op))              ? TimeClass::kEp
          : operator_of(tasks[t].op).unit() == CoreUnit::kMatrix ? TimeClass::kGrouped
                                                                 : TimeClass::kVector);
      sent_ += static_cast<double>(record.put_bytes);
    }
    for (const HostActivity& activity : rank.host)
      add(activity.op, activity.start, activity.end,
          activity.what == Blame::kCollective || activity.what == Blame::kHop ? TimeClass::kEp
                                                                              : TimeClass::kHost);
    if (sent_ == 0) sent_ = static_cast<double>(rank.sent);
  }

  ClassTimes classes(Duration from, Duration to) const {
    std::vector<ClassInterval> within;
    for (const ClassInterval& i : intervals_) {
      if (i.to > from && i.from < to)
        within.push_back({std::max(i.from, from) - from, std::min(i.to, to) - from, i.time_class});
    }
    return swept(within, to - from);
  }
  // Returns the time from the first start of operators of this type to their last end.
  std::pair<Duration, Duration> span_of(std::string_view type) const {
    std::pair<Duration, Duration> span{Duration::max(), Duration::zero()};
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      if (operators_[op].type != type) continue;
      span = {std::min(span.first, spans_[op].first), std::max(span.second, spans_[op].second)};
    }
    return span;
  }
  // Returns the sum of the times of all operators of this type.
  Duration time_of(std::string_view type) const {
    Duration time{};
    for (std::size_t op = 0; op < operators_.size(); ++op)
      if (operators_[op].type == type && spans_[op].second > spans_[op].first)
        time += spans_[op].second - spans_[op].first;
    return time;
  }
  // Returns the time in which rows are on their way.
  Duration exchanging() const {
    std::vector<ClassInterval> exchanges;
    std::ranges::copy_if(intervals_, std::back_inserter(exchanges),
                         [](const ClassInterval& i) { return i.time_class == TimeClass::kEp; });
    return at(swept(exchanges, pass_.run.makespan), TimeClass::kEp);
  }
  double sent() const { return sent_; }

 private:
  const Operator& operator_of(std::size_t op) const { return Operators::get(operators_[op].type); }
  void add(std::size_t op, Duration from, Duration to, TimeClass kind) {
    intervals_.push_back({from, to, kind});
    if (op >= spans_.size()) return;
    spans_[op] = {std::min(spans_[op].first, from), std::max(spans_[op].second, to)};
  }

  const PassResult& pass_;
  std::span<const OperatorInfo> operators_;
  std::vector<ClassInterval> intervals_;
  std::vector<std::pair<Duration, Duration>> spans_;  // one entry per operator
  double sent_ = 0;
};

PartWork part_of(const RankTimes& rank, Duration from, Duration to) {
  PartWork part;
  part.hold = to - from;
  part.classes = rank.classes(from, to);
  part.launches = part.calls = 1;
  return part;
}

// Returns an exchange that takes the time `alone` on its own, at the rate that was simulated. Beside others
// it shares its ports.
ExchangeWork exchange_of(const Experiment& layer, DieGroup group, double bytes, Duration alone) {
  const Hardware::Fabric& fabric = layer.hardware.fabric;
  ExchangeWork exchange;
  exchange.transfers = exchange_transfers(fabric, group, bytes / std::max(1U, group.ranks - 1), 1, {});
  std::vector<StreamTransfer> own = exchange.transfers;  // as the group's own cables let them
  StageCables(layer.run.cables, fabric, (group.ranks - 1) * group.stride + 1)
      .limit(0, group, StageCables::Exchange::kToAll, own);
  Duration flows{};
  for (std::size_t t = 0; t < own.size(); ++t) {
    const StreamTransfer& transfer = exchange.transfers[t];
    const double payload = fabric.levels[transfer.level].payload;
    const auto size = static_cast<double>(transfer.bytes.count);
    double time = size / payload * 1e12 / static_cast<double>(transfer.rate.count);
    if (own[t].rate < transfer.rate)
      time = std::max(time, size * 1e12 / static_cast<double>(own[t].rate.count));
    flows += Duration(static_cast<std::int64_t>(time));
  }
  exchange.hold = std::max(Duration::zero(), alone - flows);
  return exchange;
}

ExpertPass pass_of(const Experiment& layer, const PassResult& pass, DieGroup group, std::uint32_t busiest) {
  const RankTimes rank(pass, busiest);
  ExpertPass result;
  result.alone = pass.run.makespan;
  result.sent = rank.sent();
  const bool apart = in_kernels(layer) && layer.run.transport == Transport::kCollective &&
                     rank.span_of("Dispatch").second <= rank.span_of("GroupedMatmul").first &&
                     rank.span_of("GroupedMatmul").second <= rank.span_of("Combine").first;
  if (!apart) {
    result.whole = true;
    result.experts = part_of(rank, Duration::zero(), result.alone);
    result.experts.exchanging = rank.exchanging();
    return result;
  }
  const Duration from = std::min(rank.span_of("GroupedMatmul").first, result.alone);
  const Duration to = std::clamp(rank.span_of("Combine").first, from, result.alone);
  result.in = exchange_of(layer, group, result.sent / 2, from);
  result.out = exchange_of(layer, group, result.sent / 2, result.alone - to);
  result.experts = part_of(rank, from, to);
  const Duration weights = std::min(rank.time_of("GroupedMatmulWeightGrad"), result.experts.hold);
  if (weights > Duration::zero()) {
    result.weights.hold = weights;
    at(result.weights.classes, TimeClass::kGrouped) = weights;
    result.experts.hold -= weights;
    at(result.experts.classes, TimeClass::kGrouped) -=
        std::min(weights, at(result.experts.classes, TimeClass::kGrouped));
    result.experts.classes = scaled(result.experts.classes, result.experts.hold);
  }
  return result;
}

// Runs a layer with a few ranks for all, or with all ranks if its schedules tell ranks apart.
std::vector<PassResult> run_with_few(Experiment& layer) {
  if (layer.representatives > 0) {
    try {
      return run_experiment(layer, true, backend_in_threads(layer));
    } catch (const InputError&) {
      layer.representatives = 0;
    }
  }
  return run_experiment(layer, true, backend_in_threads(layer));
}

ExpertPass run_layer(const Experiment& experiment, const BlockExperts& experts, std::uint32_t ep,
                     bool forward) {
  Experiment layer = layer_experiment(experiment, experts, forward);
  const std::vector<PassResult> passes = run_with_few(layer);
  const std::vector<std::uint32_t> dies = dies_of(layer.run.ranks);
  const DieGroup group{ep, dies.size() > 1 ? dies[1] - dies[0] : 1};
  const std::optional<BusiestRank> busiest = busiest_rank(layer);
  ExpertPass pass = pass_of(layer, passes.front(), group, busiest ? busiest->rank : 0);
  if (busiest) pass.busiest = busiest->over_mean;
  return pass;
}

// All that the run of a layer's pass follows from: what was configured, but how the step uses it.
std::string key_of(const Experiment& experiment, const BlockExperts& experts, bool forward) {
  std::string key = fmt::format("{} {} {} {} {} {} {} {} {}", forward, experts.tokens, experts.intermediate,
                                experiment.shape.hidden, experiment.shape.ep, experiment.shape.experts(),
                                fmt::join(dies_of(experiment.run.ranks), ","), experiment.routing.seed,
                                experiment.routing.micro_batch);
  for (const WorkerKind& kind : experiment.workers) key += fmt::format(" {}", kind.count);
  for (const CablePlane& plane : experiment.run.cables)
    for (const CableDamage& damage : plane.damages)
      key += fmt::format("\n{} {} {} {}: {}", plane.plane, damage.factor, damage.period.count(),
                         damage.on.count(), fmt::join(damage.cables, ","));
  for (const auto& [path, value] : experiment.values) {
    if (path.starts_with("step.") || path.starts_with("parallel.") || path == "experiment.name" ||
        path == "model.layers" || path == "model.name")
      continue;
    key += fmt::format("\n{}={}", path, value);
  }
  return key;
}

// Stores runs of layers, for experiments in all threads. A stored run depends only on its key. Whoever asks for one that
// another thread is at waits for it; one that failed is run again.
class LayerRuns {
 public:
  ExpertPass get(const Experiment& experiment, const BlockExperts& experts, const StepOptions& step,
                 bool forward) {
    const std::string key =
        key_of(experiment, experts, forward) + fmt::format("\n{} {}", step.expert_capacity, step.pad_experts);
    std::promise<ExpertPass> run;
    {
      std::unique_lock lock(mutex_);
      if (const auto found = runs_.find(key); found != runs_.end()) {
        const std::shared_future<ExpertPass> known = found->second;
        lock.unlock();
        return known.get();
      }
      runs_.emplace(key, run.get_future().share());
    }
    try {
      Experiment limited = experiment;
      limit_rows(step, experts, limited);
      ExpertPass pass = run_layer(limited, experts, step.ep, forward);
      run.set_value(pass);
      return pass;
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      runs_.erase(key);
      run.set_exception(std::current_exception());
      throw;
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_future<ExpertPass>> runs_;
};

LayerRuns& layer_runs() {
  static LayerRuns runs;
  return runs;
}

// A pass whose experts are each split over some dies. Rows go to experts as without that; products have the rows of all
// these dies, and a part of the columns.
ExpertPass split_pass(const Experiment& experiment, const StepOptions& step, const BlockExperts& experts,
                      bool forward) {
  ExpertPass pass = layer_runs().get(experiment, experts, step, forward);
  if (step.etp == 1) return pass;
  BlockExperts split = experts;
  split.tokens *= step.etp;
  split.intermediate = (split.intermediate + step.etp - 1) / step.etp;
  const ExpertPass products = layer_runs().get(experiment, split, step, forward);
  if (pass.whole || products.whole)
    throw InputError(experiment.name +
                     ": parallel.etp: experts that are split over dies run where rows are exchanged before "
                     "and after all products, "
                     "by kernels and the host's all-to-all: expected experiment.execution=kernel without "
                     "cuts, or parallel.etp=1");
  pass.experts = products.experts;
  pass.weights = products.weights;
  pass.alone = pass.in.alone() + pass.experts.alone() + pass.weights.alone() + pass.out.alone();
  add_etp_exchanges(step, experts, pass);
  return pass;
}

}  // namespace

double seconds_of_runs(const Experiment& experiment, const StepOptions& step, const BlockExperts& experts) {
  if (step.exchange == ExpertExchange::kStreams) return 0;
  double all = 0;
  for (const bool forward : {true, false})
    all += estimate_of(layer_experiment(under_preset(experiment, forward), experts, forward), true).seconds;
  return all * (draws_routing(experiment) ? step.draws : 1);
}

std::vector<ExpertTimes> expert_times(const Experiment& experiment, const StepOptions& step,
                                      const BlockExperts& experts) {
  std::vector<ExpertTimes> all;
  for (std::uint32_t draw = 0; draw < (draws_routing(experiment) ? step.draws : 1); ++draw) {
    Experiment drawn = experiment;
    drawn.routing = another_draw(experiment.routing, draw);
    if (step.exchange == ExpertExchange::kStreams) {
      all.push_back(expert_kernels(drawn, step, experts));
      continue;
    }
    const auto pass = [&](bool forward) {
      return split_pass(under_preset(drawn, forward), step, experts, forward);
    };
    all.push_back({pass(true), pass(false), {}});
    all.back().limit = limit_rows(step, experts, drawn);
  }
  return all;
}

void add_etp_exchanges(const StepOptions& step, const BlockExperts& experts, ExpertPass& pass) {
  if (step.etp == 1) return;
  const double rows = static_cast<double>(experts.tokens) * experts.top_k * pass.busiest;
  pass.experts.tp_sent += 2 * rows * experts.hidden * element_bytes(experts.dtype) * (step.etp - 1);
  pass.experts.tp_calls += 2;
}

std::uint32_t draw_number(std::uint64_t seed, std::uint32_t draws, std::uint32_t layer,
                          std::uint32_t micro_batch) {
  if (draws < 2) return 0;
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 62;  // streams of the seed that routings do not use
  return Rng(seed, kSteps + (std::uint64_t{layer} << 32U) + micro_batch).below(draws);
}

}  // namespace a3sim
