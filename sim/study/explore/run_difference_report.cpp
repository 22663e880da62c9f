#include <fmt/format.h>

#include <algorithm>

#include "sim/study/explore/run_difference.h"
#include "sim/study/summary/report.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

constexpr const char* kNothing = "-";
constexpr double kMega = 1e-6;

std::string part_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : kNothing;
}

// What one column of the tables is made of.
struct Totals {
  double read = 0, hit = 0, missed = 0, hbm = 0, sent = 0;
  Duration exposed{};
  std::size_t tasks = 0, ranks = 0;
};

Totals totals_of(const Trace& trace, const Explanation& explained) {
  Totals sums{.tasks = 0, .ranks = trace.ranks.size()};
  for (const TraceOperator& op : trace.operators) {
    sums.read += op.l2_read;
    sums.hit += op.l2_hit;
    sums.missed += op.l2_missed;
    sums.hbm += op.hbm_read + op.hbm_written;
  }
  for (const auto& rank : trace.ranks) {
    sums.tasks += rank.size();
    for (const TraceTask& task : rank) sums.sent += static_cast<double>(task.put_bytes);
  }
  for (const Overlap& overlap : explained.overlaps) sums.exposed += overlap.exposed;
  return sums;
}

std::string busy(const Trace& trace, const Explanation& explained, std::size_t kind) {
  Duration busy{};
  for (const auto& rank : explained.workers) {
    for (const WorkerTime time : {WorkerTime::kRun, WorkerTime::kMemory})
      busy += rank[kind][static_cast<std::size_t>(time)];
  }
  const auto workers = static_cast<double>(trace.machine.workers[kind] * trace.ranks.size());
  return part_text(seconds(busy), seconds(trace.makespan) * workers);
}

std::string sides_text(const RunDifference::OfPass& pass) {
  Table table({pass.name, "A", "B"});
  Totals of[2];
  for (std::size_t s = 0; s < 2; ++s) of[s] = totals_of(*pass.trace[s], pass.explained[s]);
  const auto add = [&](const char* name, const auto& cell) { table.add({name, cell(0), cell(1)}); };
  const auto mega = [&](std::size_t s, double bytes) {
    return fmt::format("{:.1f}", bytes / static_cast<double>(of[s].ranks) * kMega);
  };
  add("latency ms", [&](std::size_t s) { return in_milliseconds(pass.trace[s]->makespan); });
  add("AIC busy", [&](std::size_t s) { return busy(*pass.trace[s], pass.explained[s], 0); });
  add("AIV busy, puts apart", [&](std::size_t s) { return busy(*pass.trace[s], pass.explained[s], 1); });
  add("exposed communication ms",
      [&](std::size_t s) { return in_milliseconds(of[s].exposed / static_cast<std::int64_t>(of[s].ranks)); });
  add("L2 read hits", [&](std::size_t s) { return part_text(of[s].hit, of[s].hit + of[s].missed); });
  add("L2 read MB/rank", [&](std::size_t s) { return mega(s, of[s].read); });
  add("HBM MB/rank", [&](std::size_t s) { return mega(s, of[s].hbm); });
  add("sent MB/rank", [&](std::size_t s) { return mega(s, of[s].sent); });
  add("tasks", [&](std::size_t s) { return fmt::format("{}", of[s].tasks); });
  return table.text();
}

// What an operator's tasks of one side came to: their mean time, hits, HBM bytes.
std::array<std::string, 3> operator_cells(const Trace& trace, const std::string& name) {
  const auto found = std::find_if(trace.operators.begin(), trace.operators.end(),
                                  [&](const TraceOperator& op) { return op.name == name; });
  if (found == trace.operators.end()) return {kNothing, kNothing, kNothing};
  Duration ran{};
  for (const auto& rank : trace.ranks) {
    for (const TraceTask& task : rank) {
      if (&trace.operators[task.op] == &*found) ran += task.end - task.start;
    }
  }
  const auto ranks = static_cast<std::int64_t>(trace.ranks.size());
  return {in_milliseconds(ran / ranks), part_text(found->l2_hit, found->l2_hit + found->l2_missed),
          fmt::format("{:.1f}", (found->hbm_read + found->hbm_written) / static_cast<double>(ranks) * kMega)};
}

std::string operators_text(const RunDifference::OfPass& pass) {
  Table table({pass.name + ", a rank", "A ran ms", "B ran ms", "A hits", "B hits", "A HBM MB", "B HBM MB"});
  for (const std::string& name : pass.blame.operators) {
    const auto a = operator_cells(*pass.trace[0], name), b = operator_cells(*pass.trace[1], name);
    table.add({name, a[0], b[0], a[1], b[1], a[2], b[2]});
  }
  return table.text();
}

std::string blame_text(const RunDifference::OfPass& pass) {
  const BlameDifference& blame = pass.blame;
  std::vector<std::uint32_t> shown;
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    if (std::any_of(blame.blame.begin(), blame.blame.end(),
                    [&](const BlameTimes& of) { return of[b] != Duration::zero(); }))
      shown.push_back(b);
  }
  if (shown.empty()) return "";
  std::vector<std::string> header{"critical path, A - B, ms"};
  for (const std::uint32_t b : shown) header.emplace_back(name_of(static_cast<Blame>(b)));
  header.emplace_back("sum");
  Table table(header);
  const auto add = [&](const std::string& name, const BlameTimes& of) {
    std::vector<std::string> row{name};
    Duration sum{};
    for (const std::uint32_t b : shown) {
      row.push_back(of[b] == Duration::zero() ? kNothing : in_milliseconds(of[b]));
      sum += of[b];
    }
    row.push_back(in_milliseconds(sum));
    const bool any =
        std::any_of(of.begin(), of.end(), [](Duration time) { return time != Duration::zero(); });
    if (any) table.add_words(row);
  };
  BlameTimes sums{};
  for (std::size_t op = 0; op < blame.operators.size(); ++op) {
    add(blame.operators[op], blame.blame[op]);
    for (std::uint32_t b = 0; b < kBlames; ++b) sums[b] += blame.blame[op][b];
  }
  add("sum", sums);
  return '\n' + table.text();
}

std::string parts_text(const RunDifference& difference) {
  const Counterfactuals& all = difference.counterfactuals;
  const Duration whole = difference.total[0] - difference.total[1];
  std::string text;
  for (const Counterfactual& of : all.parts) {
    for (const ConfigDifference& d : of.differences)
      text += fmt::format("  {}: {} in A, {} in B\n", d.path, d.a.empty() ? "nothing" : d.a,
                          d.b.empty() ? "nothing" : d.b);
  }
  for (const ConfigDifference& d : all.elsewhere)
    text += fmt::format("  {}: {} in A, {} in B\n", d.path, d.a, d.b);
  if (text.empty()) return "";
  Table table({"B with A's", "ms", "change ms", "of the difference"});
  std::string failed;
  const auto add = [&](const std::string& part, Duration change) {
    table.add({part, in_milliseconds(all.b + change), fmt::format("{:+.3f}", milliseconds(change)),
               whole == Duration::zero() ? kNothing
                                         : fmt::format("{:.1f} %", 100 * seconds(change) / seconds(whole))});
  };
  table.add({"nothing", in_milliseconds(all.b), kNothing, kNothing});
  for (const Counterfactual& of : all.parts) {
    if (of.error.empty()) {
      add(of.part, of.makespan - all.b);
    } else {
      failed += fmt::format("B cannot run with A's {}: {}\n", of.part, of.error);
    }
  }
  if (all.hit_rates) add("L2 hit rates, by operator", *all.hit_rates);
  return "configurations differ in\n" + text + '\n' + table.text() + failed + '\n';
}

}  // namespace

std::string difference_text(const RunDifference& difference) {
  std::string text;
  for (const RunDifference::OfPass& pass : difference.passes) {
    text += sides_text(pass) + '\n' + operators_text(pass) + blame_text(pass) + '\n';
  }
  text += parts_text(difference);
  if (difference.counterfactuals.b != difference.total[1]) {
    text += fmt::format("B was saved with {} ms: this a3sim runs it otherwise than {}\n\n",
                        in_milliseconds(difference.total[1]), difference.versions[1]);
  }
  return text + verdict(difference) + '\n';
}

nlohmann::ordered_json difference_json(const RunDifference& difference) {
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"a_ps", difference.total[0].count()},
                              {"b_ps", difference.total[1].count()},
                              {"difference_ps", (difference.total[0] - difference.total[1]).count()}};
  for (const RunDifference::OfPass& pass : difference.passes) {
    nlohmann::ordered_json of{{"pass", pass.name},
                              {"a_ps", pass.trace[0]->makespan.count()},
                              {"b_ps", pass.trace[1]->makespan.count()}};
    for (std::size_t op = 0; op < pass.blame.operators.size(); ++op) {
      for (std::uint32_t b = 0; b < kBlames; ++b) {
        const Duration time = pass.blame.blame[op][b];
        if (time == Duration::zero()) continue;
        of["blame_ps"][pass.blame.operators[op]][std::string(name_of(static_cast<Blame>(b)))] = time.count();
      }
    }
    json["passes"].push_back(std::move(of));
  }
  json["b_again_ps"] = difference.counterfactuals.b.count();
  const auto changed = [](const ConfigDifference& d) {
    return nlohmann::ordered_json{{"key", d.path}, {"a", d.a}, {"b", d.b}};
  };
  json["counterfactuals"] = nlohmann::ordered_json::array();
  for (const Counterfactual& part : difference.counterfactuals.parts) {
    nlohmann::ordered_json of{{"b_with_a", part.part}};
    for (const ConfigDifference& d : part.differences) of["differences"].push_back(changed(d));
    if (part.error.empty()) {
      of["makespan_ps"] = part.makespan.count();
      of["change_ps"] = (part.makespan - difference.counterfactuals.b).count();
    } else {
      of["error"] = part.error;
    }
    json["counterfactuals"].push_back(std::move(of));
  }
  if (difference.counterfactuals.hit_rates)
    json["hit_rates_change_ps"] = difference.counterfactuals.hit_rates->count();
  for (const ConfigDifference& d : difference.counterfactuals.elsewhere)
    json["other_differences"].push_back(changed(d));
  json["verdict"] = verdict(difference);
  return json;
}

}  // namespace a3sim
