#include "sim/study/summary/operator_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/operators/operator.h"
#include "sim/experiment/run_experiment.h"
#include "traces/analysis/operator_stats.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

// "SwiGLU 61 %, GMM2 39 %": the three that left most of what was found.
std::string left_by_text(const PassResult& pass, const std::vector<std::uint64_t>& left_by) {
  std::vector<std::pair<std::uint64_t, std::size_t>> largest;
  std::uint64_t all = 0;
  for (std::size_t op = 0; op < left_by.size(); ++op) {
    all += left_by[op];
    if (left_by[op] > 0) largest.emplace_back(left_by[op], op);
  }
  std::sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, largest.size()); ++i) {
    text +=
        fmt::format("{}{} {:.0f} %", i ? ", " : "", pass.schedule.front().operators()[largest[i].second].name,
                    100 * static_cast<double>(largest[i].first) / static_cast<double>(all));
  }
  return text.empty() ? "-" : text;
}

nlohmann::ordered_json requests_json(const L2Traffic::Requests& requests) {
  return {{"hit", requests.hit}, {"miss", requests.miss}, {"bypass", requests.bypass}};
}

}  // namespace

OperatorL2 l2_of(const PassResult& pass, std::size_t op) {
  const std::size_t ops = pass.schedule.front().operators().size();
  OperatorL2 sum;
  for (const RankResult& rank : pass.run.ranks) {
    sum.traffic += rank.l2_by_op[op];
    if (rank.l2_reused.empty()) continue;
    sum.left_by.resize(ops);
    for (std::size_t producer = 0; producer < ops; ++producer)
      sum.left_by[producer] += rank.l2_reused[op * ops + producer];
  }
  return sum;
}

TaskUnit unit_of(const OperatorInfo& info) {
  const Operator& op = Operators::get(info.type);
  if (op.task_type() == TaskType::kPutMemSignal) return TaskUnit::kPut;
  return op.unit() == CoreUnit::kMatrix ? TaskUnit::kCube : TaskUnit::kVector;
}

std::string operators_table(const PassResult& pass, const Causes& causes) {
  Table table({pass.name, "tasks", "from ms", "to ms", "mean us", "ideal us", "waited us", "lost to"});
  const std::vector<OperatorStats> stats = operator_stats(causes);
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

std::string l2_table(const PassResult& pass) {
  Table table({pass.name + ", L2", "read MB/rank", "hits", "written MB/rank", "hits", "HBM read MB",
               "HBM written MB", "read hits left by"});
  const auto ranks = static_cast<double>(pass.run.ranks.size());
  const auto mega = [&](double bytes) { return fmt::format("{:.1f}", bytes / ranks * 1e-6); };
  const auto all = [](const L2Traffic::Requests& r) {
    return static_cast<double>(r.hit + r.miss + r.bypass) * kL2Request;
  };
  const auto hits = [](const L2Traffic::Requests& r) {
    return r.hit + r.miss ? fmt::format("{:.1f} %", 100 * r.hit_rate()) : "-";
  };
  for (std::size_t op = 0; op < pass.schedule.front().operators().size(); ++op) {
    const OperatorL2 l2 = l2_of(pass, op);
    const L2Traffic& t = l2.traffic;
    if (all(t.read) + all(t.write) == 0) continue;
    table.add({pass.schedule.front().operators()[op].name, mega(all(t.read)), hits(t.read),
               mega(all(t.write)), hits(t.write), mega(static_cast<double>(t.hbm_read)),
               mega(static_cast<double>(t.hbm_write)), left_by_text(pass, l2.left_by)});
  }
  return table.text();
}

// Requests are of 128 bytes, as the profiler counts them.
nlohmann::ordered_json l2_json(const L2Traffic& traffic) {
  return {{"read", requests_json(traffic.read)},
          {"write", requests_json(traffic.write)},
          {"hbm_read_bytes", traffic.hbm_read},
          {"hbm_write_bytes", traffic.hbm_write}};
}

nlohmann::ordered_json operators_json(const PassResult& pass, const Causes& causes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  const std::vector<OperatorStats> stats = operator_stats(causes);
  const auto& operators = pass.schedule.front().operators();
  for (std::size_t op = 0; op < stats.size(); ++op) {
    nlohmann::ordered_json item{{"operator", operators[op].name},
                                {"unit", name_of(unit_of(operators[op]))},
                                {"stage", operators[op].stage},
                                {"gap_ps", causes.trace().operators[op].gap.count()},
                                {"tasks", stats[op].tasks},
                                {"ran_ps", stats[op].ran.count()},
                                {"ideal_ps", stats[op].ideal.count()},
                                {"waited_ps", stats[op].waited.count()}};
    for (std::uint32_t l = 0; l < kLimits; ++l) {
      item["lost_ps"][std::string(name_of(static_cast<Limit>(l)))] = stats[op].lost[l].count();
    }
    const OperatorL2 l2 = l2_of(pass, op);
    item["l2"] = l2_json(l2.traffic);
    for (std::size_t producer = 0; producer < l2.left_by.size(); ++producer) {
      if (l2.left_by[producer] > 0)
        item["l2_read_hits_left_by"][operators[producer].name] = l2.left_by[producer];
    }
    json.push_back(std::move(item));
  }
  return json;
}

}  // namespace a3sim
