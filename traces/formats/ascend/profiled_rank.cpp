#include "traces/formats/ascend/profiled_rank.h"

#include <algorithm>
#include <set>

namespace a3sim {
namespace {

// The tasks of one operator in one pass, as they are gathered.
struct Gathered {
  Duration start = Duration::max(), end = Duration::min();
  Duration run{}, arithmetic{};
  std::uint64_t hits = 0, reads = 0;
  std::set<std::uint32_t> workers;
  Times under_way;
};

class Gatherer {
 public:
  Gatherer(std::uint32_t rank, ProfiledStep& step) : rank_(rank), of_(step) {}
  void add_pass(const Trace& trace);

 private:
  void add_task(const TraceTask& task, TaskUnit unit);
  void finish(const Trace& trace);

  std::uint32_t rank_;
  ProfiledStep& of_;
  std::vector<Gathered> gathered_;
  std::vector<ProfiledExchange> exchanges_;
};

void Gatherer::add_task(const TraceTask& task, TaskUnit unit) {
  Gathered& sum = gathered_[task.op];
  const Duration start = of_.length + task.start, end = of_.length + task.end;
  sum.start = std::min(sum.start, start);
  sum.end = std::max({sum.end, end, task.remote ? of_.length + task.visible : end});
  sum.run += end - start;
  sum.arithmetic += task.arithmetic;
  sum.hits += task.l2_hits;
  sum.reads += task.l2_hits + task.l2_misses;
  sum.workers.insert(task.worker);
  if (unit != TaskUnit::kPut) add_stretch(of_.computing, start, end);
  if (!task.remote) return;
  const Duration sent = task.done - task.start;
  add_stretch(of_.communicating, start, of_.length + task.visible);
  add_stretch(sum.under_way, start, of_.length + task.done);
  ProfiledExchange& exchange = exchanges_[task.op];
  ProfiledExchange::Sent& to = exchange.to[task.dst % exchange.to.size()];
  to.bytes += task.put_bytes;
  to.time += sent;
  exchange.puts.emplace_back(task.put_bytes, sent);
}

void Gatherer::finish(const Trace& trace) {
  for (std::size_t op = 0; op < gathered_.size(); ++op) {
    const Gathered& sum = gathered_[op];
    if (sum.workers.empty()) continue;
    const auto workers = static_cast<std::uint32_t>(sum.workers.size());
    if (trace.operators[op].unit == TaskUnit::kPut) {
      ProfiledExchange& exchange = exchanges_[op];
      exchange.name = trace.operators[op].name;
      exchange.start = sum.start;
      exchange.end = sum.end;
      exchange.transit = length_of(sum.under_way);
      of_.exchanges.push_back(std::move(exchange));
      continue;
    }
    ProfiledKernel& kernel = of_.kernels.emplace_back();
    kernel.name = trace.operators[op].name;
    kernel.unit = trace.operators[op].unit;
    kernel.workers = workers;
    kernel.start = sum.start;
    kernel.end = sum.end;
    kernel.run = sum.run;
    kernel.arithmetic = sum.arithmetic;
    if (sum.reads > 0) kernel.hit_rate = static_cast<double>(sum.hits) / static_cast<double>(sum.reads);
  }
}

void Gatherer::add_pass(const Trace& trace) {
  gathered_.assign(trace.operators.size(), {});
  exchanges_.assign(trace.operators.size(), {});
  for (ProfiledExchange& exchange : exchanges_) exchange.to.resize(trace.ranks.size());
  for (const TraceTask& task : trace.ranks[rank_]) add_task(task, trace.operators[task.op].unit);
  finish(trace);
  of_.length += trace.makespan;
}

}  // namespace

void choose_streams(std::vector<ProfiledKernel>& kernels, Duration begin) {
  std::vector<Duration> free;  // one entry per stream
  for (ProfiledKernel& kernel : kernels) {
    const auto stream = std::ranges::find_if(free, [&](Duration end) { return end <= kernel.start; });
    kernel.stream = static_cast<std::uint32_t>(stream - free.begin());
    if (stream == free.end()) free.push_back(begin);
    kernel.wait = kernel.start - free[kernel.stream];
    free[kernel.stream] = kernel.end;
  }
}

ProfiledStep profiled(std::span<const TracedPass> passes, std::uint32_t rank) {
  ProfiledStep step;
  Gatherer gatherer(rank, step);
  for (const TracedPass& pass : passes) gatherer.add_pass(pass.trace);
  std::ranges::stable_sort(step.kernels, {}, &ProfiledKernel::start);
  std::ranges::stable_sort(step.exchanges, {}, &ProfiledExchange::start);
  choose_streams(step.kernels, Duration::zero());
  return step;
}

}  // namespace a3sim
