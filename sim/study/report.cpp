#include "sim/study/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/operator_stats.h"
#include "traces/table.h"
#include "version.h"

namespace a3sim {
namespace {

std::vector<std::uint16_t> operators_of(const Ssc& ssc) {
  std::vector<std::uint16_t> ops;
  ops.reserve(ssc.tasks().size());
  for (const TaskDescriptor& td : ssc.tasks()) ops.push_back(td.op);
  return ops;
}

std::vector<OperatorStats> stats_of(const PassResult& pass) {
  std::vector<OperatorStats> stats(pass.schedule.front().operators().size());
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    add_records(pass.run.ranks[r].records, operators_of(pass.schedule[r]), stats);
  }
  return stats;
}

Duration earliest_end(const RunResult& run) {
  Duration earliest = run.makespan;
  for (const RankResult& rank : run.ranks) earliest = std::min(earliest, rank.end);
  return earliest;
}

// The part of all workers of a queue that ran tasks, over the whole makespan and all ranks.
double busy_part(const PassResult& pass, QueueType queue) {
  double busy = 0, whole = 0;
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    busy += seconds(pass.run.ranks[r].busy[static_cast<std::size_t>(queue)]);
    whole += seconds(pass.run.makespan) * pass.schedule[r].workers(queue);
  }
  return whole > 0 ? busy / whole : 0;
}

std::uint64_t most_sent(const RunResult& run) {
  std::uint64_t most = 0;
  for (const RankResult& rank : run.ranks) most = std::max(most, rank.sent);
  return most;
}

// What a reader must know to tell two routings apart.
std::string routing_text(const RoutingSpec& routing) {
  if (routing.kind != "sampled") return routing.kind;
  return fmt::format("{}, seed {}, skew {}", routing.kind, routing.seed, routing.skew);
}

std::string what_ran(const Experiment& experiment) {
  const MoeShape& s = experiment.shape;
  std::string text = fmt::format("{} (a3sim {})\n", experiment.name, kVersion);
  if (s.experts() > 0) {
    text += fmt::format(
        "MoE-FFN   EP{}, {} tokens a rank, hidden {}, intermediate {}, top-{} of {} experts, {}\n", s.ep,
        s.tokens, s.hidden, s.intermediate, s.top_k, s.experts(), name_of(s.dtype));
    text += fmt::format("routing   {}\n", routing_text(experiment.routing));
  }
  text += fmt::format("machine   {}: {} AIC and {} AIV run tasks; network {}; L2 {}, {}, {}\n",
                      experiment.hardware.name, experiment.workers[0], experiment.workers[1],
                      experiment.network, experiment.l2.spec.policy,
                      experiment.l2.exact ? "every line" : "pieces of tensors", name_of(experiment.l2.start));
  text += fmt::format("schedule  {}, order {}, {} assignment, {} shares a tile, {} partitions an expert\n",
                      name_of(experiment.execution), experiment.order.name,
                      experiment.order.assignment == Assignment::kCyclic ? "cyclic" : "shared",
                      experiment.cut.shares, experiment.cut.partitions);
  return text;
}

std::string passes_table(std::span<const PassResult> passes) {
  Table table({"pass", "latency ms", "first rank ms", "bound ms", "binding", "AIC busy", "AIV busy",
               "sent MB/rank", "tasks", "events"});
  Duration total{}, bound{};
  for (const PassResult& pass : passes) {
    std::uint64_t tasks = 0;
    for (const RankResult& rank : pass.run.ranks) tasks += rank.tasks;
    table.add({pass.name, in_milliseconds(pass.run.makespan), in_milliseconds(earliest_end(pass.run)),
               in_milliseconds(pass.bounds.largest()), std::string(name_of(pass.bounds.binding())),
               fmt::format("{:.1f} %", 100 * busy_part(pass, QueueType::kCtq)),
               fmt::format("{:.1f} %", 100 * busy_part(pass, QueueType::kVtq)),
               fmt::format("{:.1f}", static_cast<double>(most_sent(pass.run)) * 1e-6),
               fmt::format("{}", tasks), fmt::format("{}", pass.run.events)});
    total += pass.run.makespan;
    bound += pass.bounds.largest();
  }
  if (passes.size() > 1) {
    table.add({"total", in_milliseconds(total), "", in_milliseconds(bound), "", "", "", "", "", ""});
  }
  return table.text();
}

std::string bounds_table(std::span<const PassResult> passes) {
  std::vector<std::string> header{"lower bounds ms"};
  for (std::uint32_t b = 0; b < kBounds; ++b) header.emplace_back(name_of(static_cast<Bound>(b)));
  Table table(header);
  for (const PassResult& pass : passes) {
    std::vector<std::string> row{pass.name};
    for (const Duration time : pass.bounds.time) row.push_back(in_milliseconds(time));
    table.add(row);
  }
  return table.text();
}

std::string operators_table(const PassResult& pass) {
  Table table({pass.name, "tasks", "from ms", "to ms", "mean us", "ideal us", "waited us", "lost to"});
  const std::vector<OperatorStats> stats = stats_of(pass);
  for (std::size_t op = 0; op < stats.size(); ++op) {
    const OperatorStats& s = stats[op];
    if (s.tasks == 0) continue;
    const auto n = static_cast<double>(s.tasks);
    const std::uint32_t worst = s.worst_limit();
    const std::string lost = worst == kLimits ? "-"
                                              : fmt::format("{} {:.1f} %", name_of(static_cast<Limit>(worst)),
                                                            100 * seconds(s.lost[worst]) / seconds(s.ran));
    table.add({pass.schedule.front().operators()[op].name, fmt::format("{}", s.tasks),
               in_milliseconds(s.first_start), in_milliseconds(s.last_end),
               fmt::format("{:.2f}", microseconds(s.ran) / n),
               fmt::format("{:.2f}", microseconds(s.ideal) / n),
               fmt::format("{:.2f}", microseconds(s.waited) / n), lost});
  }
  return table.text();
}

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
  if (routing.kind == "sampled") json["skew"] = routing.skew;
  return json;
}

nlohmann::ordered_json cut_json(const CutOptions& cut) {
  return {{"shares", cut.shares},
          {"partitions", cut.partitions},
          {"chunk", cut.chunk},
          {"task_rows", cut.task_rows}};
}

nlohmann::ordered_json requests_json(const L2Traffic::Requests& requests) {
  return {{"hit", requests.hit}, {"miss", requests.miss}, {"bypass", requests.bypass}};
}

// Requests are of 128 bytes, as the profiler counts them.
nlohmann::ordered_json l2_json(const L2Traffic& traffic) {
  return {{"read", requests_json(traffic.read)},
          {"write", requests_json(traffic.write)},
          {"hbm_read_bytes", traffic.hbm_read},
          {"hbm_write_bytes", traffic.hbm_write}};
}

nlohmann::ordered_json rank_json(const RankResult& rank) {
  return {{"end_ps", rank.end.count()},
          {"tasks", rank.tasks},
          {"aic_busy_ps", rank.busy[0].count()},
          {"aiv_busy_ps", rank.busy[1].count()},
          {"l2_read_bytes", rank.l2_read},
          {"l2_write_bytes", rank.l2_write},
          {"l2", l2_json(rank.l2)},
          {"sent_bytes", rank.sent},
          {"received_bytes", rank.received}};
}

nlohmann::ordered_json pass_json(const PassResult& pass) {
  nlohmann::ordered_json json{
      {"pass", pass.name}, {"latency_ps", pass.run.makespan.count()}, {"events", pass.run.events}};
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    json["bounds_ps"][std::string(name_of(static_cast<Bound>(b)))] = pass.bounds.time[b].count();
  }
  json["binding"] = name_of(pass.bounds.binding());
  const std::vector<OperatorStats> stats = stats_of(pass);
  for (std::size_t op = 0; op < stats.size(); ++op) {
    nlohmann::ordered_json item{{"operator", pass.schedule.front().operators()[op].name},
                                {"tasks", stats[op].tasks},
                                {"ran_ps", stats[op].ran.count()},
                                {"ideal_ps", stats[op].ideal.count()},
                                {"waited_ps", stats[op].waited.count()}};
    for (std::uint32_t l = 0; l < kLimits; ++l) {
      item["lost_ps"][std::string(name_of(static_cast<Limit>(l)))] = stats[op].lost[l].count();
    }
    json["operators"].push_back(std::move(item));
  }
  for (const RankResult& rank : pass.run.ranks) json["ranks"].push_back(rank_json(rank));
  return json;
}

}  // namespace

std::string in_milliseconds(Duration time) { return fmt::format("{:.3f}", milliseconds(time)); }

std::string summary_text(const Experiment& experiment, std::span<const PassResult> passes) {
  std::string text = what_ran(experiment) + '\n' + passes_table(passes) + '\n' + bounds_table(passes);
  for (const PassResult& pass : passes) text += '\n' + operators_table(pass);
  return text;
}

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
                              {"execution", name_of(experiment.execution)},
                              {"network", experiment.network},
                              {"workers", {experiment.workers[0], experiment.workers[1]}}};
  Duration total{};
  for (const PassResult& pass : passes) {
    total += pass.run.makespan;
    json["passes"].push_back(pass_json(pass));
  }
  json["total_ps"] = total.count();
  return json;
}

std::string tasks_csv(const PassResult& pass) {
  std::string csv =
      "rank,task,operator,index,expert,src,dst,worker,taken_ps,start_ps,end_ps,ideal_ps,lost_l2_read_ps,"
      "lost_l2_write_ps,lost_hbm_ps,lost_link_ps,lost_miss_ps,l2_read_hit,l2_read_miss,l2_write_hit,"
      "l2_write_miss,hbm_read_bytes,hbm_write_bytes\n";
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskDescriptor& td = ssc.tasks()[t];
      const TaskRecord& record = pass.run.ranks[r].records[t];
      const auto since_start = [](Time time) { return time.time_since_epoch().count(); };
      fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{}", r, t,
                     ssc.operators()[td.op].name, td.task_index,
                     td.expert == kNoExpert ? "" : std::to_string(td.gexpert), td.src, td.dst, record.worker,
                     since_start(record.taken), since_start(record.start), since_start(record.end),
                     record.ideal.count());
      for (const Duration lost : record.lost) fmt::format_to(std::back_inserter(csv), ",{}", lost.count());
      const L2Traffic& l2 = record.l2;
      fmt::format_to(std::back_inserter(csv), ",{},{},{},{},{},{}\n", l2.read.hit, l2.read.miss, l2.write.hit,
                     l2.write.miss, l2.hbm_read, l2.hbm_write);
    }
  }
  return csv;
}

}  // namespace a3sim
