#include <algorithm>
#include <array>

#include "sim/experiment/run_experiment.h"
#include "sim/study/summary/operator_report.h"
#include "sim/study/summary/report.h"
#include "sim/study/summary/run_trace.h"
#include "traces/analysis/worker_time.h"
#include "version.h"

namespace a3sim {
namespace {

nlohmann::ordered_json shape_json(const MoeShape& shape) {
  return {{"tokens", shape.tokens},
          {"hidden", shape.hidden},
          {"intermediate", shape.intermediate},
          {"top_k", shape.top_k},
          {"experts_per_rank", shape.experts_per_rank},
          {"ep", shape.ep},
          {"dtype", name_of(shape.dtype)}};
}

nlohmann::ordered_json routing_json(const RoutingSpec& routing) {
  nlohmann::ordered_json json{{"kind", routing.kind}};
  if (Routings::get(routing.kind).draws()) json["skew"] = routing.skew;
  return json;
}

nlohmann::ordered_json cut_json(const CutOptions& cut) {
  return {{"shares", cut.shares},
          {"partitions", cut.partitions},
          {"chunk", cut.chunk},
          {"task_rows", cut.task_rows}};
}

// What the analysis of a result has to know of the machine, so that it needs no configuration.
nlohmann::ordered_json machine_json(const Experiment& experiment) {
  const TraceMachine machine = machine_of(experiment);
  const auto whole = [](double rate) { return static_cast<std::int64_t>(rate); };
  std::vector<std::int64_t> starts;
  for (const RankOptions& rank : experiment.run.ranks) starts.push_back(rank.start.count());
  if (experiment.kept > 0) starts.resize(experiment.kept);
  nlohmann::ordered_json json{{"starts_ps", starts},
                              {"kernel_launch_ps", machine.launch.count()},
                              {"static_task_ps", machine.static_task.count()},
                              {"farthest_ps", machine.farthest.count()},
                              {"sent_by", machine.collectives ? "collectives" : "puts"},
                              {"collective_ps", machine.collective.count()},
                              {"hbm_read_bytes_per_s", whole(machine.hbm_read)},
                              {"hbm_write_bytes_per_s", whole(machine.hbm_write)},
                              {"l2_read_bytes_per_s", whole(machine.l2_read)},
                              {"port_bytes_per_s", whole(machine.port)}};
  if (machine.group > 0) json["group_ranks"] = machine.group;
  return json;
}

nlohmann::ordered_json rank_json(const WorkerKinds& kinds, const RankResult& rank,
                                 const std::vector<WorkerTimes>& times) {
  nlohmann::ordered_json json{{"end_ps", rank.end.count()}, {"tasks", rank.tasks}};
  for (std::uint32_t k = 0; k < kinds.size(); ++k) {
    const std::string kind = kinds[k].key();
    json[kind + "_busy_ps"] = rank.busy[k].count();
    json[kind + "_waited_ps"] = part_of(times[k], WorkerTime::kWait).count();
    json[kind + "_idle_ps"] = part_of(times[k], WorkerTime::kIdle).count();
  }
  json["l2_read_bytes"] = rank.l2_read;
  json["l2_write_bytes"] = rank.l2_write;
  json["l2"] = l2_json(rank.l2);
  json["sent_bytes"] = rank.sent;
  json["received_bytes"] = rank.received;
  return json;
}

std::vector<std::uint32_t> worker_counts(const WorkerKinds& kinds) {
  std::vector<std::uint32_t> counts;
  for (const WorkerKind& kind : kinds) counts.push_back(kind.count);
  return counts;
}

// What the workers are, where they are not AIC and AIV.
nlohmann::ordered_json kinds_json(const WorkerKinds& kinds) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const WorkerKind& kind : kinds) {
    std::vector<std::string_view> runs;
    for (const CoreUnit unit : {CoreUnit::kMatrix, CoreUnit::kVector})
      if (kind.has(unit)) runs.push_back(name_of(unit));
    json.push_back({{"name", kind.name}, {"runs", runs}});
  }
  return json;
}

nlohmann::ordered_json pass_json(const Experiment& experiment, const PassResult& pass) {
  const Trace trace = trace_of(experiment, pass);
  const Causes causes(trace);
  nlohmann::ordered_json json{
      {"pass", pass.name}, {"latency_ps", pass.run.makespan.count()}, {"events", pass.run.events}};
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    json["bounds_ps"][std::string(name_of(static_cast<Bound>(b)))] = pass.bounds.time[b].count();
  }
  json["binding"] = name_of(pass.bounds.binding());
  json["operators"] = operators_json(pass, causes);
  const auto times = worker_times(causes);
  for (std::size_t r = 0; r < times.size(); ++r)
    json["ranks"].push_back(rank_json(experiment.workers, pass.run.ranks[r], times[r]));
  return json;
}

}  // namespace

nlohmann::ordered_json summary_json(const Experiment& experiment, std::span<const PassResult> passes) {
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"a3sim", kVersion},
                              {"name", experiment.name},
                              {"shape", shape_json(experiment.shape)},
                              {"routing", routing_json(experiment.routing)},
                              {"seed", experiment.routing.seed},
                              {"cut", cut_json(experiment.cut)},
                              {"window", experiment.window == Window::kFull ? "full" : "transport"},
                              {"hardware", experiment.hardware.name},
                              {"order", experiment.order.name},
                              {"execution", experiment.run.execution},
                              {"network", experiment.network},
                              {"workers", worker_counts(experiment.workers)}};
  if (!are_aic_and_aiv(experiment.workers)) json["kinds"] = kinds_json(experiment.workers);
  json["machine"] = machine_json(experiment);
  if (!experiment.not_modelled.empty()) json["left_out"] = experiment.not_modelled;
  Duration total{};
  for (const PassResult& pass : passes) {
    total += pass.run.makespan;
    json["passes"].push_back(pass_json(experiment, pass));
  }
  json["total_ps"] = total.count();
  return json;
}

}  // namespace a3sim
