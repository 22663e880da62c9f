#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "sim/compare/runs/run_difference.h"
#include "sim/variation/times_faster.h"

namespace a3sim {
namespace {

// One run's side of a pass. Bytes and times are per rank.
struct Side {
  Duration latency{}, exposed{};
  Cell hits;
  double read = 0, hbm = 0, sent = 0;
  std::size_t tasks = 0;
};

// Returns a share of the time of all workers of a kind.
Cell part(const Trace& trace, const Explanation& explained, std::size_t kind,
          std::initializer_list<WorkerTime> times) {
  Duration sum{};
  for (const auto& rank : explained.workers) {
    for (const WorkerTime time : times) sum += part_of(rank[kind], time);
  }
  const auto workers = static_cast<double>(trace.machine.workers[kind].count * trace.ranks.size());
  return share(seconds(sum), seconds(trace.makespan) * workers);
}

Side side_of(const Trace& trace, const Explanation& explained) {
  Side side{.latency = trace.makespan, .hits = {}};
  double hit = 0, missed = 0;
  for (const TraceOperator& op : trace.operators) {
    side.read += op.l2_read;
    side.hbm += op.hbm_read + op.hbm_written;
    hit += op.l2_hit;
    missed += op.l2_missed;
  }
  for (const auto& rank : trace.ranks) {
    side.tasks += rank.size();
    for (const TraceTask& task : rank) side.sent += static_cast<double>(task.put_bytes);
  }
  for (const Overlap& overlap : explained.overlaps) side.exposed += overlap.exposed;
  const std::size_t ranks = trace.ranks.size();
  side.hits = share(hit, hit + missed);
  side.exposed /= static_cast<std::int64_t>(ranks);
  for (double* bytes : {&side.read, &side.hbm, &side.sent}) *bytes /= static_cast<double>(ranks);
  return side;
}

// Returns the kinds of worker of both runs, those of A first.
std::vector<WorkerKind> kinds_of(const RunDifference::ExplainedPass& pass) {
  std::vector<WorkerKind> kinds;
  for (const Trace* trace : pass.trace) {
    for (const WorkerKind& kind : trace->machine.workers) {
      if (std::ranges::find(kinds, kind.name, &WorkerKind::name) == kinds.end()) kinds.push_back(kind);
    }
  }
  return kinds;
}

// The time of the workers of one kind in a run, a line per figure. Empty if the run lacks the kind.
struct KindFigures {
  Cell busy, waits, idle;
};

KindFigures figures_of(const Trace& trace, const Explanation& explained, const std::string& kind) {
  const WorkerKinds& kinds = trace.machine.workers;
  const auto found = std::ranges::find(kinds, kind, &WorkerKind::name);
  if (found == kinds.end()) return {};
  const auto k = static_cast<std::size_t>(found - kinds.begin());
  return {part(trace, explained, k, {WorkerTime::kRun, WorkerTime::kMemory}),
          part(trace, explained, k, {WorkerTime::kWait}), part(trace, explained, k, {WorkerTime::kIdle})};
}

// By how much B's figure is larger, with its sign; shares in points. Nothing where one of them has none.
std::string change_text(const Cell& of_a, const Cell& of_b, const Column& figure) {
  if (const auto* const a = std::get_if<Duration>(&of_a))
    return fmt::format("{:+.3f}", milliseconds(std::get<Duration>(of_b) - *a));
  if (const auto* const a = std::get_if<std::int64_t>(&of_a))
    return fmt::format("{:+}", std::get<std::int64_t>(of_b) - *a);
  const auto *const a = std::get_if<double>(&of_a), *const b = std::get_if<double>(&of_b);
  if (!a || !b) return "";
  return figure.form == Form::kPercent ? fmt::format("{:+.1f} pp", 100 * (*b - *a))
                                       : fmt::format("{:+.1f}", 1e-6 * (*b - *a));
}

// A line a figure, each with its own unit.
void add_sides(Report& report, const RunDifference::ExplainedPass& pass) {
  Table& table = report.table(
      "", {Column::words(pass.name), Column::words("A"), Column::words("B"), Column::words("B - A")});
  const Side a = side_of(*pass.trace[0], pass.explained[0]), b = side_of(*pass.trace[1], pass.explained[1]);
  const auto add = [&](const Column& figure, const Cell& of_a, const Cell& of_b) {
    table.add({figure.head, text_of(of_a, figure), text_of(of_b, figure), change_text(of_a, of_b, figure)});
  };
  add(Column::milliseconds("latency ms"), a.latency, b.latency);
  for (const WorkerKind& kind : kinds_of(pass)) {
    const KindFigures x = figures_of(*pass.trace[0], pass.explained[0], kind.name),
                      y = figures_of(*pass.trace[1], pass.explained[1], kind.name);
    const char* const puts_apart = kind.has(CoreUnit::kVector) ? ", puts apart" : "";
    add(Column::percent(fmt::format("{} busy{}", kind.name, puts_apart)), x.busy, y.busy);
    if (!kind.has(CoreUnit::kMatrix)) continue;
    add(Column::percent(kind.name + " waits"), x.waits, y.waits);
    add(Column::percent(kind.name + " idle"), x.idle, y.idle);
  }
  add(Column::milliseconds("exposed communication ms"), a.exposed, b.exposed);
  add(Column::percent("L2 read hits"), a.hits, b.hits);
  add(Column::mega("L2 read MB/rank"), a.read, b.read);
  add(Column::mega("HBM MB/rank"), a.hbm, b.hbm);
  add(Column::mega("sent MB/rank"), a.sent, b.sent);
  add(Column::count("tasks"), whole(a.tasks), whole(b.tasks));
}

// Returns time, hits and HBM bytes of an operator's tasks on a rank, for one side.
std::array<Cell, 3> operator_cells(const Trace& trace, const std::string& name) {
  const auto found = std::ranges::find(trace.operators, name, &TraceOperator::name);
  if (found == trace.operators.end()) return {};
  Duration ran{};
  for (const auto& rank : trace.ranks) {
    for (const TraceTask& task : rank) {
      if (&trace.operators[task.op] == &*found) ran += task.end - task.start;
    }
  }
  const std::size_t ranks = trace.ranks.size();
  return {ran / static_cast<std::int64_t>(ranks), share(found->l2_hit, found->l2_hit + found->l2_missed),
          (found->hbm_read + found->hbm_written) / static_cast<double>(ranks)};
}

void add_operators(Report& report, const RunDifference::ExplainedPass& pass) {
  Table& table = report.table(
      "operators",
      {Column::words(pass.name + ", per rank", "operator"), Column::milliseconds("A ran ms", "a_ran_ps"),
       Column::milliseconds("B ran ms", "b_ran_ps"), Column::percent("A hits", "a_l2_hits"),
       Column::percent("B hits", "b_l2_hits"), Column::mega("A HBM MB", "a_hbm_bytes"),
       Column::mega("B HBM MB", "b_hbm_bytes")});
  for (const std::string& name : pass.blame.operators) {
    const auto a = operator_cells(*pass.trace[0], name), b = operator_cells(*pass.trace[1], name);
    table.add({name, a[0], b[0], a[1], b[1], a[2], b[2]});
  }
}

Report pass_report(const RunDifference::ExplainedPass& pass) {
  Report report;
  report.fact("pass", pass.name).fact("a_ps", pass.trace[0]->makespan).fact("b_ps", pass.trace[1]->makespan);
  add_sides(report, pass);
  add_operators(report, pass);
  add_blame(report, "critical path, B - A, ms", pass.blame);
  return report;
}

// Adds the differences. Returns false if there are none.
bool add_differences(Report& report, const Counterfactuals& counterfactuals) {
  std::string lines;
  Table& table = report.table(
      "differences", {Column::data("part"), Column::data("key"), Column::data("a"), Column::data("b")},
      Audience::kPrograms);
  const auto add = [&](const Cell& part, const ConfigDifference& d) {
    table.add({part, d.path, d.a, d.b});
    lines += fmt::format("  {}\n", difference_text(d));
  };
  for (const Counterfactual& part : counterfactuals.parts) {
    for (const ConfigDifference& d : part.differences) add(part.part, d);
  }
  for (const ConfigDifference& d : counterfactuals.elsewhere) add({}, d);
  if (!lines.empty()) report.say("configurations differ in\n" + lines);
  return !lines.empty();
}

// The largest part of the difference first; then those without any.
std::vector<Counterfactual> by_share(const RunDifference& difference) {
  std::vector<Counterfactual> parts = difference.counterfactuals.parts;
  const double apart = -difference.apart().median;
  std::ranges::stable_sort(parts, std::greater(), [&](const Counterfactual& part) {
    if (part.totals.empty() || apart == 0) return 0.0;
    return difference_between(part.totals, difference.counterfactuals.b).median / apart;
  });
  return parts;
}

// B with parts of A's configuration; of those that cannot run, why.
void add_counterfactuals(Report& report, const RunDifference& difference, bool differs) {
  const Counterfactuals& all = difference.counterfactuals;
  const double apart = -difference.apart().median;  // what B loses where it becomes A
  Table& table = report.table("counterfactuals", {Column::words("B with this of A", "b_with_a"),
                                                  Column::milliseconds("ms", "makespan_ps"),
                                                  {"change ms", "change_ps", Form::kSignedMilliseconds, 3},
                                                  Column::words("95 %").for_people(),
                                                  Column::data("change_low_ps"),
                                                  Column::data("change_high_ps"),
                                                  Column::percent("of the difference", "share_of_difference"),
                                                  Column::data("error")});
  const auto add = [&](const std::string& part, const Cell& makespan, const MedianInterval& change,
                       Audience seen) {
    table.add({part, makespan, change.median, interval_in_milliseconds(change), change.low, change.high,
               share(change.median, apart), Cell()},
              seen);
  };
  std::string failed;
  if (differs) table.add({"(B as it is)", median_of(all.b), "", "", "", "", "", ""}, Audience::kPeople);
  for (const Counterfactual& counterfactual : by_share(difference)) {
    if (counterfactual.totals.empty() && counterfactual.error.empty()) continue;  // it has not run yet
    if (counterfactual.error.empty()) {
      add(counterfactual.part, median_of(counterfactual.totals),
          difference_between(counterfactual.totals, all.b), Audience::kAll);
    } else {
      table.add({counterfactual.part, Cell(), Cell(), Cell(), Cell(), Cell(), Cell(), counterfactual.error},
                Audience::kPrograms);
      failed += fmt::format("B cannot run with A's {}: {}\n", counterfactual.part, counterfactual.error);
    }
  }
  if (differs && all.hit_rates)
    add("L2 hit rates, by operator", static_cast<double>(median_of(all.b).count()) + all.hit_rates->median,
        *all.hit_rates, Audience::kPeople);
  if (differs) add("all of it (A)", median_of(all.a), difference_between(all.a, all.b), Audience::kPeople);
  report.say_on(failed);
}

std::vector<ConfigDifference> differences_in(const Counterfactuals& counterfactuals) {
  std::vector<ConfigDifference> all = counterfactuals.elsewhere;
  for (const Counterfactual& part : counterfactuals.parts)
    all.insert(all.end(), part.differences.begin(), part.differences.end());
  return all;
}

}  // namespace

Report difference_report(const RunDifference& difference, const JitterOptions& jitter) {
  const Counterfactuals& counterfactuals = difference.counterfactuals;
  Report report;
  report.fact("schema_version", 1).fact("a_ps", difference.total[0]).fact("b_ps", difference.total[1]);
  report.fact("difference_ps", difference.total[1] - difference.total[0]);
  add_jitter(report, jitter);
  if (!difference.run_again()) {
    for (const RunDifference::ExplainedPass& pass : difference.passes)
      report.part("passes", pass_report(pass));
    return report;
  }
  const MedianInterval apart = difference.apart();
  report.fact("a_again_ps", median_of(counterfactuals.a)).fact("b_again_ps", median_of(counterfactuals.b));
  report.fact("difference_again_ps.median", apart.median).fact("difference_again_ps.low", apart.low);
  report.fact("difference_again_ps.high", apart.high);
  if (counterfactuals.hit_rates) report.fact("hit_rates_change_ps", counterfactuals.hit_rates->median);
  for (const RunDifference::ExplainedPass& pass : difference.passes) report.part("passes", pass_report(pass));
  const bool differs = add_differences(report, counterfactuals);
  if (differs) report.say("run again: " + jitter_note(jitter));
  add_counterfactuals(report, difference, differs);
  const Latencies* again[] = {&counterfactuals.a, &counterfactuals.b};
  for (std::size_t side = 0; side < 2 && jitter.runs == 0; ++side) {
    if (again[side]->front() == difference.total[side]) continue;
    report.say(fmt::format("{} was saved with {} ms: this a3sim computes another latency than {}\n",
                           "AB"[side], in_milliseconds(difference.total[side]), difference.versions[side]));
  }
  report.say(conclusion(difference) + '\n', "verdict");
  std::string last = different_work(differences_in(counterfactuals));
  if (last.empty()) last = times_faster("A", counterfactuals.a, "B", counterfactuals.b);
  if (!last.empty()) report.say_on(last + '\n');
  return report;
}

}  // namespace a3sim
