#include "sim/study/summary/operator_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/operators/operator.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/summary/saved_rows.h"
#include "sim/study/summary/saved_values.h"
#include "traces/analysis/worker_time.h"

namespace a3sim {
namespace {

// Returns "SwiGLU 61 %, GMM2 39 %": the three operators that left most of the data found.
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

// Returns "link 47.7 %": the limit to which an operator's tasks lost most of their time.
std::string lost_to(const OperatorStats& stats) {
  const std::uint32_t worst = stats.worst_limit();
  if (worst == kLimits) return "-";
  return fmt::format("{} {:.1f} %", name_of(static_cast<Limit>(worst)),
                     100 * seconds(stats.lost[worst]) / seconds(stats.ran));
}

std::vector<Column> operator_columns(const PassResult& pass) {
  std::vector<Column> columns{
      Column::words(pass.name).for_people(),           Column::count("tasks").for_people(),
      Column::milliseconds("from ms").for_people(),    Column::milliseconds("to ms").for_people(),
      Column::number("mean us", "", 2).for_people(),   Column::number("ideal us", "", 2).for_people(),
      Column::number("waited us", "", 2).for_people(), Column::words("lost to").for_people()};
  describe_operator(SavedOperator(), DataColumns(columns));
  for (const OperatorInfo& producer : pass.schedule.front().operators())
    columns.push_back(Column::data("l2_read_hits_left_by." + producer.name));
  return columns;
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
  if (op.unit() == CoreUnit::kMatrix) return TaskUnit::kCube;  // also if it sends its results
  return op.mover() != Mover::kNone ? TaskUnit::kPut : TaskUnit::kVector;
}

void add_operators(const PassResult& pass, const Causes& causes, Report& report) {
  Table& table = report.table("operators", operator_columns(pass));
  const std::vector<OperatorStats> stats = operator_stats(causes);
  const auto& operators = pass.schedule.front().operators();
  for (std::size_t op = 0; op < stats.size(); ++op) {
    const OperatorStats& s = stats[op];
    const auto n = static_cast<double>(s.tasks);
    const OperatorL2 l2 = l2_of(pass, op);
    std::vector<Cell> cells{operators[op].name,
                            whole(s.tasks),
                            s.first_start,
                            s.last_end,
                            microseconds(s.ran) / n,
                            microseconds(s.ideal) / n,
                            microseconds(s.waited) / n,
                            lost_to(s)};
    const SavedOperator saved{operators[op].name, unit_of(operators[op]), operators[op].stage, s, l2.traffic};
    describe_operator(saved, DataCells(cells));
    for (const std::uint64_t requests : l2.left_by) cells.push_back(requests > 0 ? whole(requests) : Cell());
    cells.resize(table.columns().size());
    table.add(std::move(cells), s.tasks > 0 ? Seen::kByAll : Seen::kByPrograms);
  }
}

void add_l2(const PassResult& pass, Report& report) {
  Table& table = report.table(
      "", {Column::words(pass.name + ", L2"), Column::mega("read MB/rank"), Column::percent("hits"),
           Column::mega("written MB/rank"), Column::percent("hits"), Column::mega("HBM read MB"),
           Column::mega("HBM written MB"), Column::words("read hits left by")});
  const auto ranks = static_cast<double>(pass.run.ranks.size());
  const auto all = [](const L2Traffic::Requests& r) {
    return static_cast<double>(r.hit + r.miss + r.bypass) * kL2Request;
  };
  const auto hits = [](const L2Traffic::Requests& r) {
    return share(static_cast<double>(r.hit), static_cast<double>(r.hit + r.miss));
  };
  for (std::size_t op = 0; op < pass.schedule.front().operators().size(); ++op) {
    const OperatorL2 l2 = l2_of(pass, op);
    const L2Traffic& t = l2.traffic;
    if (all(t.read) + all(t.write) == 0) continue;
    table.add({pass.schedule.front().operators()[op].name, all(t.read) / ranks, hits(t.read),
               all(t.write) / ranks, hits(t.write), static_cast<double>(t.hbm_read) / ranks,
               static_cast<double>(t.hbm_write) / ranks, left_by_text(pass, l2.left_by)});
  }
}

}  // namespace a3sim
