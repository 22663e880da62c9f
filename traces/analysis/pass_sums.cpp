#include "traces/analysis/pass_sums.h"

#include <fmt/format.h>

namespace a3sim {
namespace {

void add_workers(Report& report, const Trace& trace, const PassSums& sums, std::uint32_t rank) {
  const std::string head =
      rank == kNone ? "workers' time, all ranks" : fmt::format("workers' time, rank {}", rank);
  Table& table = report.table(
      "workers", {Column::words(head, "workers"), Column::percent("busy").for_people(),
                  Column::percent("wait").for_people(), Column::percent("idle").for_people(),
                  Column::percent("scheduling").for_people(), Column::data("busy_ps"),
                  Column::data("waited_ps"), Column::data("idle_ps"), Column::data("scheduling_ps")});
  const WorkerKinds& kinds = trace.machine.workers;
  for (std::uint32_t kind = 0; kind < kinds.size(); ++kind) {
    PassSums::Workers sum;
    Duration whole{};
    for (std::uint32_t r = 0; r < sums.workers.size(); ++r) {
      if (rank != kNone && r != rank) continue;
      const PassSums::Workers& workers = sums.workers[r][kind];
      sum.busy += workers.busy;
      sum.waited += workers.waited;
      sum.idle += workers.idle;
      whole += trace.makespan * kinds[kind].count;
    }
    const Duration rest = whole - sum.busy - sum.waited - sum.idle;
    table.add({kinds[kind].name, share(sum.busy, whole), share(sum.waited, whole), share(sum.idle, whole),
               share(rest, whole), sum.busy, sum.waited, sum.idle, rest});
  }
}

void add_operators(Report& report, const Trace& trace, const PassSums& sums) {
  Table& table = report.table(
      "operators", {Column::words("operator"), Column::count("tasks"),
                    Column::milliseconds("ran ms", "ran_ps"), Column::milliseconds("ideal ms", "ideal_ps"),
                    Column::milliseconds("waited ms", "waited_ps"), Column::words("lost to", "lost_to"),
                    Column::milliseconds("ms", "lost_ps"), Column::percent("L2 hits", "l2_hit_rate")});
  for (std::size_t op = 0; op < sums.operators.size(); ++op) {
    const OperatorStats& stats = sums.operators[op];
    if (stats.tasks == 0) continue;
    const TraceOperator& traced = trace.operators[op];
    const std::uint32_t worst = stats.worst_limit();
    const bool lost = worst != kLimits;
    table.add({traced.name, whole(stats.tasks), stats.ran, stats.ideal, stats.waited,
               lost ? Cell(std::string(name_of(static_cast<Limit>(worst)))) : Cell(),
               lost ? Cell(stats.lost[worst]) : Cell(),
               share(traced.l2_hit, traced.l2_hit + traced.l2_missed)});
  }
}

}  // namespace

Report sums_report(const std::string& pass, const Trace& trace, const PassSums& sums, std::uint32_t rank) {
  Report report;
  report.fact("pass", pass).fact("makespan_ps", trace.makespan);
  report.say(fmt::format("{}: latency {}\n", pass, in_ms_or_s(trace.makespan)));
  add_workers(report, trace, sums, rank);
  add_operators(report, trace, sums);
  add_reuse(report, trace);
  return report;
}

void add_reuse(Report& report, const Trace& trace) {
  Table& table =
      report.table("l2_reuse", {Column::words("L2 reuse MB/rank", "operator"),
                                Column::words("left by", "left_by"), Column::mega("read").for_people(),
                                Column::data("bytes"), Column::percent("of its reads", "share_of_reads")});
  for (const TraceOperator& reader : trace.operators) {
    for (std::size_t writer = 0; writer < reader.left_by.size(); ++writer) {
      const double bytes = reader.left_by[writer];
      if (bytes == 0) continue;
      table.add({reader.name, trace.operators[writer].name, bytes / static_cast<double>(trace.ranks.size()),
                 bytes, share(bytes, reader.l2_read)});
    }
  }
}

}  // namespace a3sim
