#include <fmt/format.h>

#include <algorithm>

#include "traces/explanation.h"
#include "traces/path_summary.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

constexpr std::size_t kStretches = 20;

std::string in_ms(Duration time) { return fmt::format("{:.3f}", milliseconds(time)); }
std::string percent(Duration part, Duration whole) {
  return whole > Duration::zero() ? fmt::format("{:.1f} %", 100 * seconds(part) / seconds(whole)) : "-";
}

std::string workers_text(const Trace& trace, const Explanation& explanation, std::uint32_t rank) {
  std::vector<std::string> header{rank == kNone ? "workers' time, all ranks"
                                                : fmt::format("workers' time, rank {}", rank)};
  for (std::uint32_t t = 0; t < kWorkerTimes; ++t) header.emplace_back(name_of(static_cast<WorkerTime>(t)));
  Table table(header);
  for (std::uint32_t kind = 0; kind < 2; ++kind) {
    WorkerTimes sums{};
    Duration whole{};
    for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
      if (rank != kNone && r != rank) continue;
      for (std::uint32_t t = 0; t < kWorkerTimes; ++t) sums[t] += explanation.workers[r][kind][t];
    }
    for (const Duration time : sums) whole += time;
    std::vector<std::string> row{kind == 0 ? "AIC" : "AIV"};
    for (const Duration time : sums) row.push_back(percent(time, whole));
    table.add_words(row);
  }
  return table.text();
}

std::string operators_text(const Trace& trace, const std::vector<std::uint32_t>& ops) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, ops.size()); ++i)
    text += (i ? ", " : "") + trace.operators[ops[i]].name;
  return ops.size() > kNamed ? text + fmt::format(", {} more", ops.size() - kNamed) : text;
}

std::string path_text(const Trace& trace, const CriticalPath& path) {
  Table table({"critical path", "from ms", "to ms", "tasks", "mostly"});
  for (const PathStretch& stretch : summarise(path, kStretches)) {
    const Blame most = stretch.most();
    Duration time = stretch.blame[static_cast<std::size_t>(most)];
    table.add({operators_text(trace, stretch.ops), in_ms(stretch.from), in_ms(stretch.to),
               fmt::format("{}", stretch.tasks),
               fmt::format("{} {}", name_of(most), percent(time, stretch.to - stretch.from))});
  }
  return table.text();
}

// What nothing was spent on is left out.
std::string blame_text(const Trace& trace, const CriticalPath& path) {
  std::vector<std::uint32_t> shown;
  BlameTimes sums{};
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    for (const BlameTimes& of : path.blame) sums[b] += of[b];
    if (sums[b] > Duration::zero()) shown.push_back(b);
  }
  std::vector<std::string> header{"blame ms"};
  for (const std::uint32_t b : shown) header.emplace_back(name_of(static_cast<Blame>(b)));
  header.emplace_back("sum");
  Table table(header);
  const auto add = [&](const std::string& name, const BlameTimes& of) {
    std::vector<std::string> row{name};
    Duration sum{};
    for (const std::uint32_t b : shown) {
      row.push_back(of[b] == Duration::zero() ? "-" : in_ms(of[b]));
      sum += of[b];
    }
    row.push_back(in_ms(sum));
    if (sum > Duration::zero()) table.add_words(row);
  };
  for (std::size_t op = 0; op < path.blame.size(); ++op) add(trace.operators[op].name, path.blame[op]);
  add("sum", sums);
  return table.text();
}

std::string overlap_text(const Trace& trace, const Explanation& explanation, std::uint32_t rank) {
  Duration hidden{}, exposed{};
  for (const Overlap& of : explanation.overlaps) {
    hidden += of.hidden;
    exposed += of.exposed;
  }
  if (hidden + exposed == Duration::zero()) return "";
  Table table({"communication", "ms", "hidden ms", "exposed ms", "hidden", "exposed of the makespan"});
  const auto add = [&](const std::string& name, Duration hid, Duration open) {
    table.add({name, in_ms(hid + open), in_ms(hid), in_ms(open), percent(hid, hid + open),
               percent(open, trace.makespan)});
  };
  constexpr std::size_t kMostRanks = 16;
  const std::size_t ranks = trace.ranks.size();
  for (std::size_t r = 0; r < ranks; ++r) {
    const Overlap& of = explanation.overlaps[r];
    if (rank == kNone ? ranks <= kMostRanks : r == rank)
      add(fmt::format("rank {}", r), of.hidden, of.exposed);
  }
  const auto count = static_cast<std::int64_t>(ranks);
  if (rank == kNone) add("mean", hidden / count, exposed / count);
  return '\n' + table.text();
}

std::string roof_text(const Trace& trace, const std::vector<Roofline>& roofs) {
  Table table({"roofline", "ops", "HBM MB/rank", "L2 MB/rank", "ops/HBM byte", "ops/L2 byte", "reached /s",
               "roof /s", "of it", "roof is"});
  const auto ranks = static_cast<double>(trace.ranks.size());
  for (std::size_t op = 0; op < roofs.size(); ++op) {
    const Roofline& r = roofs[op];
    if (r.achieved == 0) continue;
    const bool put = trace.operators[op].unit == TaskUnit::kPut, ceiling = r.roof() < r.peak;
    const auto intensity = [&](double value) {
      return put || value == 0 ? "-" : fmt::format("{:.2f}", value);
    };
    const std::string_view unit = put                                           ? "port"
                                  : ceiling                                     ? r.l2_bound ? "L2" : "HBM"
                                  : trace.operators[op].unit == TaskUnit::kCube ? "cube"
                                                                                : "vector";
    const std::string unit_of = put ? "B" : "";
    table.add({trace.operators[op].name, put ? "-" : with_prefix(r.operations),
               fmt::format("{:.1f}", r.hbm_bytes / ranks * 1e-6),
               fmt::format("{:.1f}", r.l2_bytes / ranks * 1e-6), intensity(r.intensity),
               intensity(r.l2_intensity), with_prefix(r.achieved) + unit_of, with_prefix(r.roof()) + unit_of,
               fmt::format("{:.1f} %", 100 * r.achieved / r.roof()), std::string(unit)});
  }
  return table.text();
}

// Who read in the L2 what whom had left there.
std::string reuse_text(const Trace& trace) {
  Table table({"L2 reuse MB/rank", "left by", "read", "of its reads"});
  bool any = false;
  for (const TraceOperator& consumer : trace.operators) {
    for (std::size_t producer = 0; producer < consumer.left_by.size(); ++producer) {
      const double bytes = consumer.left_by[producer];
      if (bytes == 0) continue;
      table.add({consumer.name, trace.operators[producer].name,
                 fmt::format("{:.1f}", bytes / static_cast<double>(trace.ranks.size()) * 1e-6),
                 fmt::format("{:.1f} %", 100 * bytes / consumer.l2_read)});
      any = true;
    }
  }
  return any ? '\n' + table.text() : "";
}

}  // namespace

std::string explanation_text(const Trace& trace, const Explanation& explanation, std::uint32_t rank) {
  return fmt::format("makespan {} ms\n\n", in_ms(trace.makespan)) + workers_text(trace, explanation, rank) +
         '\n' + path_text(trace, explanation.path) + '\n' + blame_text(trace, explanation.path) +
         overlap_text(trace, explanation, rank) + '\n' + roof_text(trace, explanation.roofs) +
         reuse_text(trace) + '\n' + advice(trace, explanation.path) + '\n';
}

}  // namespace a3sim
