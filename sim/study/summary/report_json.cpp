#include <fmt/format.h>

#include "sim/experiment/run_experiment.h"
#include "sim/experiment/value_range.h"
#include "sim/study/summary/report.h"
#include "sim/study/summary/run_trace.h"
#include "sim/study/summary/saved_rows.h"
#include "sim/study/summary/saved_values.h"
#include "traces/report/report.h"
#include "version.h"

namespace a3sim {
namespace {

nlohmann::ordered_json routing_json(const RoutingSpec& routing) {
  nlohmann::ordered_json json{{"kind", routing.kind}};
  const RoutingGenerator& generator = Routings::get(routing.kind);
  if (const auto [key, value] = generator.spread(routing); generator.draws()) json[std::string(key)] = value;
  return json;
}

// Reports what the latency covers, its range, and the assumed values.
Report range_report(const Experiment& experiment, std::span<const PassResult> passes,
                    const LatencyRange& range) {
  Report report;
  report.say(fmt::format("timed: {}\n", experiment.timed), "timed");
  Table& table =
      report.table("latencies", {Column::words("pass"), Column::microseconds("latency us", "latency_ps"),
                                 Column::microseconds("behind the launch us", "behind_launch_ps"),
                                 Column::microseconds("at the fast ends", "fast_ps"),
                                 Column::microseconds("at the slow ends", "slow_ps")});
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const Duration latency = passes[p].run.makespan;
    table.add(
        {passes[p].name, latency, latency - experiment.program.launch.alone, range.fast[p], range.slow[p]});
  }
  report.say("The ends: every value below at the faster and at the slower one that public sources give.\n");
  Table& assumed = report.table("assumed", {Column::words("assumed", "value"), Column::words("is"),
                                            Column::words("from", "low"), Column::words("to", "high")});
  for (const SourcedValue& value : range.assumed)
    assumed.add({value.path, value.value, value.low, value.high});
  return report;
}

}  // namespace

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

nlohmann::ordered_json machine_json(const TraceMachine& machine, const std::vector<Duration>& starts) {
  nlohmann::ordered_json json{{"starts_ps", nlohmann::ordered_json::array()},
                              {"sent_by", machine.collectives ? "collectives" : "puts"}};
  for (const Duration start : starts) json["starts_ps"].push_back(start.count());
  describe_machine(machine, JsonValues(json));
  if (machine.group > 0) json["group_ranks"] = machine.group;
  return json;
}

nlohmann::ordered_json summary_json(const Experiment& experiment, std::span<const PassResult> passes,
                                    const Report& summary) {
  const MoeShape& shape = experiment.shape;
  const CutOptions& cut = experiment.cut;
  std::vector<std::uint32_t> workers;
  for (const WorkerKind& kind : experiment.workers) workers.push_back(kind.count);
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"a3sim", kVersion},
                              {"name", experiment.name},
                              {"shape",
                               {{"tokens", shape.tokens},
                                {"hidden", shape.hidden},
                                {"intermediate", shape.intermediate},
                                {"top_k", shape.top_k},
                                {"experts_per_rank", shape.experts_per_rank},
                                {"ep", shape.ep},
                                {"dtype", name_of(shape.dtype)}}},
                              {"routing", routing_json(experiment.routing)},
                              {"seed", experiment.routing.seed},
                              {"cut",
                               {{"shares", cut.shares},
                                {"partitions", cut.partitions},
                                {"chunk", cut.chunk},
                                {"task_rows", cut.task_rows}}},
                              {"window", experiment.window == Window::kFull ? "full" : "transport"},
                              {"hardware", experiment.hardware.name},
                              {"order", experiment.order.name},
                              {"execution", experiment.run.execution},
                              {"network", experiment.network},
                              {"workers", workers}};
  if (!are_aic_and_aiv(experiment.workers)) json["kinds"] = kinds_json(experiment.workers);
  std::vector<Duration> starts;
  for (const RankOptions& rank : experiment.run.ranks) starts.push_back(rank.start);
  if (experiment.kept > 0) starts.resize(experiment.kept);
  json["machine"] = machine_json(machine_of(experiment), starts);
  if (!experiment.not_modelled.empty()) json["left_out"] = experiment.not_modelled;
  json.update(summary.json());
  Duration total{};
  for (const PassResult& pass : passes) total += pass.run.makespan;
  json["total_ps"] = total.count();
  return json;
}

RunSummary run_summary(const Experiment& experiment, const Compiled& compiled,
                       std::span<const PassResult> passes) {
  const Report report = summary_report(experiment, passes);
  RunSummary summary{report.text(), summary_json(experiment, passes, report)};
  if (!experiment.timed.empty()) {
    const Report range = range_report(experiment, passes, latency_range(experiment, compiled));
    summary.text += '\n' + range.text();
    summary.json["range"] = range.json();
  }
  return summary;
}

}  // namespace a3sim
