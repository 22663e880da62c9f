#include "sim/result/report.h"
#include "sim/result/saved_rows.h"
#include "sim/result/saved_values.h"
#include "sim/runtime/execution.h"
#include "version.h"

namespace a3sim {
namespace {

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

// Returns the machine. `starts` says how much later than the first each rank was started.
nlohmann::ordered_json machine_json(const TraceMachine& machine, const std::vector<Duration>& starts) {
  nlohmann::ordered_json json{{"starts_ps", nlohmann::ordered_json::array()},
                              {"lanes", machine.streams       ? "streams"
                                        : machine.has_kernels ? "kernels"
                                                              : "workers"},
                              {"sent_by", machine.collectives ? "collectives" : "puts"}};
  for (const Duration start : starts) json["starts_ps"].push_back(start.count());
  describe_machine(machine, JsonValues(json));
  if (machine.group > 0) json["group_ranks"] = machine.group;
  return json;
}

}  // namespace

nlohmann::ordered_json result_head(const Experiment& experiment, const Trace& trace,
                                   const nlohmann::ordered_json& own) {
  const TraceMachine& machine = trace.machine;
  std::vector<std::uint32_t> workers;
  for (const WorkerKind& kind : machine.workers) workers.push_back(kind.count);
  nlohmann::ordered_json json{{"schema_version", 1}, {"a3sim", kVersion}, {"name", experiment.name}};
  json.update(own);
  json["hardware"] = experiment.hardware.name;
  json["execution"] = machine.streams ? std::string(kStreams) : experiment.work->execution(experiment);
  json["network"] = experiment.network;
  json["workers"] = workers;
  if (!are_aic_and_aiv(machine.workers)) json["kinds"] = kinds_json(machine.workers);
  json["machine"] = machine_json(machine, trace.starts);
  if (!experiment.not_modelled.empty()) json["left_out"] = experiment.not_modelled;
  return json;
}

}  // namespace a3sim
