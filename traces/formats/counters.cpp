#include "traces/formats/counters.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace a3sim {
namespace {

// Sums amounts over time in equal stretches.
class SampledStretches {
 public:
  SampledStretches(Duration makespan, Duration stretch)
      : stretch_(static_cast<double>(stretch.count())),
        sums_(static_cast<std::size_t>((makespan + stretch - Duration(1)) / stretch)) {}

  // Spreads `amount` evenly from one time to another.
  void add(Duration from, Duration to, double amount) {
    if (amount == 0) return;
    const auto begin = static_cast<double>(from.count()), end = static_cast<double>(to.count());
    std::size_t i = place(begin);
    if (from == to) {
      sums_[i] += amount;
      return;
    }
    const double rate = amount / (end - begin);
    for (double at = begin; at < end && i < sums_.size(); ++i) {
      const double next = std::min(end, static_cast<double>(i + 1) * stretch_);
      sums_[i] += rate * (next - at);
      at = next;
    }
  }

  // Moves what exceeds a rate to later stretches, or else to earlier ones. Changes nothing if the rate does
  // not suffice for all of it.
  void limit(double bytes_per_second) {
    constexpr double kPicoseconds = 1e12;
    const double most = bytes_per_second / kPicoseconds * stretch_;
    if (most <= 0 || std::accumulate(sums_.begin(), sums_.end(), 0.0) > most * static_cast<double>(size()))
      return;
    double rest = 0;
    const auto fill = [&](double& sum) {
      sum += std::exchange(rest, 0);
      rest = std::max(0.0, sum - most);
      sum -= rest;
    };
    std::for_each(sums_.begin(), sums_.end(), fill);
    std::for_each(sums_.rbegin(), sums_.rend(), fill);
  }

  std::size_t size() const { return sums_.size(); }
  double operator[](std::size_t i) const { return sums_[i]; }
  Counter means(std::string name, std::string_view unit, double scale, double limit = 0) const {
    Counter counter{std::move(name), unit, limit, {}};
    for (const double sum : sums_) counter.means.emplace_back(sum / stretch_ * scale);
    return counter;
  }

 private:
  std::size_t place(double time) const {
    return std::min(sums_.size() - 1, static_cast<std::size_t>(time / stretch_));
  }

  double stretch_;  // picoseconds
  std::vector<double> sums_;
};

struct RankSums {
  RankSums(const SampledStretches& none, std::size_t kinds)
      : hbm(none), out(none), in(none), hits(none), reads(none), ready(none), running(kinds, none) {}
  SampledStretches hbm, out, in, hits, reads, ready;
  std::vector<SampledStretches> running;  // one per kind of worker
};

double length(Duration time) { return static_cast<double>(time.count()); }

void add_task(const Causes& causes, TaskAt at, std::vector<RankSums>& ranks) {
  const Trace& trace = causes.trace();
  const TraceTask& task = causes.task(at);
  RankSums& sums = ranks[at.rank];
  const auto hits = static_cast<double>(task.l2_hits), misses = static_cast<double>(task.l2_misses);
  sums.hbm.add(task.start, task.end, static_cast<double>(task.hbm_bytes));
  sums.hits.add(task.start, task.end, hits);
  sums.reads.add(task.start, task.end, hits + misses);
  sums.running[trace.machine.workers.queue_of(task.worker)].add(task.start, task.end,
                                                                length(task.end - task.start));
  if (task.remote) {
    sums.out.add(task.start, task.done, static_cast<double>(task.put_bytes));
    ranks[trace.rank_of(task.dst)].in.add(task.start, task.done, static_cast<double>(task.put_bytes));
  }
  if (trace.machine.has_kernels) return;
  const Duration ready = std::max(causes.ready(at), trace.starts[at.rank] + trace.machine.launch);
  if (ready < task.start) sums.ready.add(ready, task.start, length(task.start - ready));
}

std::vector<Counter> counters(const RankSums& sums, const TraceMachine& machine) {
  constexpr double kGiga = 1e9, kPerPicosecond = 1e12 / kGiga;  // bytes per picosecond in GB/s
  std::vector<Counter> counters{
      sums.hbm.means("HBM", "GB/s", kPerPicosecond, machine.hbm_read / kGiga),
      sums.reads.means("L2 reads", "GB/s", kPerPicosecond * kL2Request, machine.l2_read / kGiga),
      {"L2 hit rate", "%", 0, {}},
      sums.out.means("link out", "GB/s", kPerPicosecond, machine.port / kGiga),
      sums.in.means("link in", "GB/s", kPerPicosecond)};
  for (std::size_t k = 0; k < sums.running.size(); ++k)
    counters.push_back(
        sums.running[k].means(machine.workers[k].name + " running", "", 1, machine.workers[k].count));
  counters.push_back(sums.ready.means("ready tasks", "", 1));
  for (std::size_t i = 0; i < sums.reads.size(); ++i) {
    std::optional<double>& rate = counters[2].means.emplace_back();
    if (sums.reads[i] > 0) rate = 100 * sums.hits[i] / sums.reads[i];
    if (machine.has_kernels)
      counters.back().means[i].reset();  // a kernel's tasks are unknown before it starts
  }
  return counters;
}

}  // namespace

std::vector<std::vector<Counter>> counters_of(const Causes& causes, Duration stretch) {
  const Trace& trace = causes.trace();
  const Duration makespan = std::max(trace.makespan, Duration(1));
  std::vector<RankSums> sums(trace.ranks.size(),
                             RankSums(SampledStretches(makespan, stretch), trace.machine.workers.size()));
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r)
    for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t) add_task(causes, {r, t}, sums);
  for (RankSums& rank : sums) rank.out.limit(trace.machine.port);
  std::vector<std::vector<Counter>> by_rank;
  for (const RankSums& rank_sums : sums) by_rank.push_back(counters(rank_sums, trace.machine));
  return by_rank;
}

}  // namespace a3sim
