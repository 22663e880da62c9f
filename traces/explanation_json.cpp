#include "traces/explanation.h"

namespace a3sim {
namespace {

nlohmann::ordered_json blame_json(const BlameTimes& times) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    if (times[b] != Duration::zero()) json[std::string(name_of(static_cast<Blame>(b)))] = times[b].count();
  }
  return json;
}

nlohmann::ordered_json times_json(const WorkerTimes& times) {
  nlohmann::ordered_json json;
  for (std::uint32_t t = 0; t < kWorkerTimes; ++t)
    json[std::string(name_of(static_cast<WorkerTime>(t)))] = times[t].count();
  return json;
}

nlohmann::ordered_json step_json(const Trace& trace, const PathStep& step) {
  nlohmann::ordered_json json{{"from_ps", step.from.count()},
                              {"to_ps", step.to.count()},
                              {"operator", trace.operators[step.op].name}};
  if (step.task == kNoTask) {
    json["what"] = "host";
  } else {
    json["what"] = step.ran ? "run" : "wait";
    json["rank"] = step.task.rank;
    json["task"] = step.task.task;
    json["worker"] = trace.ranks[step.task.rank][step.task.task].worker;
  }
  json["blame_ps"] = blame_json(step.blame);
  return json;
}

nlohmann::ordered_json roof_json(const TraceOperator& op, const Roofline& roof) {
  constexpr std::string_view kUnits[] = {"cube", "vector", "put"};
  return {{"operator", op.name},
          {"unit", kUnits[static_cast<std::size_t>(op.unit)]},
          {"operations", roof.operations},
          {"hbm_bytes", roof.hbm_bytes},
          {"l2_bytes", roof.l2_bytes},
          {"operations_per_hbm_byte", roof.intensity},
          {"operations_per_l2_byte", roof.l2_intensity},
          {"achieved_per_s", roof.achieved},
          {"peak_per_s", roof.peak},
          {"memory_per_s", roof.memory},
          {"roof_per_s", roof.roof()}};
}

}  // namespace

nlohmann::ordered_json explanation_json(const Trace& trace, const Explanation& explanation,
                                        std::uint32_t rank) {
  nlohmann::ordered_json json{{"makespan_ps", trace.makespan.count()}};
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    if (rank != kNone && r != rank) continue;
    json["ranks"].push_back({{"rank", r},
                             {"aic_time_ps", times_json(explanation.workers[r][0])},
                             {"aiv_time_ps", times_json(explanation.workers[r][1])},
                             {"hidden_communication_ps", explanation.overlaps[r].hidden.count()},
                             {"exposed_communication_ps", explanation.overlaps[r].exposed.count()}});
  }
  for (std::size_t op = 0; op < trace.operators.size(); ++op) {
    const nlohmann::ordered_json blame = blame_json(explanation.path.blame[op]);
    if (!blame.empty()) json["blame_ps"][trace.operators[op].name] = blame;
  }
  for (const PathStep& step : explanation.path.steps) json["critical_path"].push_back(step_json(trace, step));
  for (const TraceOperator& consumer : trace.operators) {
    for (std::size_t producer = 0; producer < consumer.left_by.size(); ++producer) {
      if (consumer.left_by[producer] > 0)
        json["l2_reuse_bytes"][consumer.name][trace.operators[producer].name] = consumer.left_by[producer];
    }
  }
  for (std::size_t op = 0; op < trace.operators.size(); ++op)
    json["roofline"].push_back(roof_json(trace.operators[op], explanation.roofs[op]));
  json["advice"] = advice(trace, explanation.path);
  return json;
}

}  // namespace a3sim
