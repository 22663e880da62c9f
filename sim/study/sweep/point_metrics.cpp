#include "sim/study/sweep/point_metrics.h"

#include <algorithm>

#include "sim/experiment/run_experiment.h"
#include "sim/study/summary/run_trace.h"
#include "traces/analysis/critical_path.h"
#include "traces/analysis/overlap.h"

namespace a3sim {
namespace {

// What the figures are made of: sums, so that those of passes add up to the total's.
struct Sums {
  Duration latency{}, bound{}, skew{}, busy[2] = {}, available[2] = {};
  double sent = 0, hbm_read = 0, hbm_written = 0, l2_hit = 0, l2_asked = 0;  // bytes; requests
  double tasks = 0, events = 0, ranks = 0;
  Duration hidden{}, exposed{};  // of all ranks
  BlameTimes blame{};

  void add(const Sums& other);
};

void Sums::add(const Sums& other) {
  latency += other.latency;
  bound += other.bound;
  skew += other.skew;
  for (std::size_t q = 0; q < 2; ++q) {
    busy[q] += other.busy[q];
    available[q] += other.available[q];
  }
  sent += other.sent;
  hbm_read += other.hbm_read;
  hbm_written += other.hbm_written;
  l2_hit += other.l2_hit;
  l2_asked += other.l2_asked;
  tasks += other.tasks;
  events += other.events;
  ranks = other.ranks;
  hidden += other.hidden;
  exposed += other.exposed;
  for (std::uint32_t b = 0; b < kBlames; ++b) blame[b] += other.blame[b];
}

Sums sums_of(const PassResult& pass) {
  Sums sums;
  sums.latency = pass.run.makespan;
  sums.bound = pass.bounds.largest();
  sums.ranks = static_cast<double>(pass.run.ranks.size());
  sums.events = static_cast<double>(pass.run.events);
  Duration first = Duration::max(), last{};
  for (std::size_t r = 0; r < pass.run.ranks.size(); ++r) {
    const RankResult& rank = pass.run.ranks[r];
    first = std::min(first, rank.end);
    last = std::max(last, rank.end);
    for (std::size_t q = 0; q < 2; ++q) {
      sums.busy[q] += rank.busy[q];
      sums.available[q] += pass.run.makespan * pass.schedule[r].workers(static_cast<QueueType>(q));
    }
    sums.sent += static_cast<double>(rank.sent);
    sums.hbm_read += static_cast<double>(rank.l2.hbm_read);
    sums.hbm_written += static_cast<double>(rank.l2.hbm_write);
    sums.l2_hit += static_cast<double>(rank.l2.read.hit);
    sums.l2_asked += static_cast<double>(rank.l2.read.hit + rank.l2.read.miss);
    sums.tasks += static_cast<double>(rank.tasks);
  }
  if (first <= last) sums.skew = last - first;
  return sums;
}

void add_analysis(const Trace& trace, Sums& sums) {
  for (const BlameTimes& of : critical_path(Causes(trace)).blame) {
    for (std::uint32_t b = 0; b < kBlames; ++b) sums.blame[b] += of[b];
  }
  for (const Overlap& overlap : overlaps(trace)) {
    sums.hidden += overlap.hidden;
    sums.exposed += overlap.exposed;
  }
}

// "blame.l2_read".
std::string blame_name(Blame blame) {
  std::string name = "blame.";
  for (const char c : name_of(blame))
    name += c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name;
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

void list(const std::string& pass, const Sums& sums, bool recorded, std::vector<PointMetric>& metrics) {
  constexpr double kMega = 1e6;
  const auto add = [&](std::string name, double value, std::string unit) {
    metrics.push_back({pass, std::move(name), value, std::move(unit)});
  };
  add("latency", milliseconds(sums.latency), "ms");
  add("bound", milliseconds(sums.bound), "ms");
  add("efficiency", percent(seconds(sums.bound), seconds(sums.latency)), "%");
  add("completion_skew", milliseconds(sums.skew), "ms");
  add("aic_busy", percent(seconds(sums.busy[0]), seconds(sums.available[0])), "%");
  add("aiv_busy", percent(seconds(sums.busy[1]), seconds(sums.available[1])), "%");
  add("sent", sums.sent / kMega, "MB");
  add("hbm_read", sums.hbm_read / kMega, "MB");
  add("hbm_written", sums.hbm_written / kMega, "MB");
  add("l2_read_hits", percent(sums.l2_hit, sums.l2_asked), "%");
  add("tasks", sums.tasks, "");
  add("events", sums.events, "");
  if (!recorded) return;
  add("exposed", milliseconds(sums.exposed) / sums.ranks, "ms");
  add("hidden", milliseconds(sums.hidden) / sums.ranks, "ms");
  for (std::uint32_t b = 0; b < kBlames; ++b)
    add(blame_name(static_cast<Blame>(b)), milliseconds(sums.blame[b]), "ms");
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<PointMetric> metrics;
  list("", Sums{.ranks = 1}, true, metrics);
  std::vector<std::string> names;
  for (PointMetric& metric : metrics) names.push_back(std::move(metric.name));
  return names;
}

bool needs_records(std::string_view name) {
  return name == "exposed" || name == "hidden" || name.starts_with("blame.");
}

std::vector<PointMetric> metrics_of(const Experiment& experiment, std::span<const PassResult> passes,
                                    bool recorded) {
  std::vector<PointMetric> metrics;
  const std::vector<Trace> traces = recorded ? traces_of(experiment, passes) : std::vector<Trace>{};
  Sums total;
  for (std::size_t p = 0; p < passes.size(); ++p) {
    Sums sums = sums_of(passes[p]);
    if (recorded) add_analysis(traces[p], sums);
    list(passes[p].name, sums, recorded, metrics);
    total.add(sums);
  }
  list("total", total, recorded, metrics);
  return metrics;
}

}  // namespace a3sim
