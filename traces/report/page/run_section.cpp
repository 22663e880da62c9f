#include "traces/report/page/run_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "traces/analysis/critical_path.h"
#include "traces/formats/counters.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kStretches = 500;  // per pass, for counters

// Orders a pass's tasks as a page draws them.
class Drawn {
 public:
  explicit Drawn(const Trace& trace) : trace_(trace), place_(trace.ranks.size()) {
    for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
      const std::vector<TraceTask>& tasks = trace.ranks[rank];
      place_[rank].resize(tasks.size());
      const std::size_t first = tasks_.size();
      for (std::uint32_t task = 0; task < tasks.size(); ++task) tasks_.push_back({rank, task});
      std::sort(tasks_.begin() + static_cast<std::ptrdiff_t>(first), tasks_.end(), [&](TaskAt a, TaskAt b) {
        const TraceTask &x = tasks[a.task], &y = tasks[b.task];
        return std::tie(x.worker, x.start, x.end, a.task) < std::tie(y.worker, y.start, y.end, b.task);
      });
      for (std::size_t i = first; i < tasks_.size(); ++i) place_[rank][tasks_[i].task] = i;
    }
  }

  std::size_t size() const { return tasks_.size(); }
  TaskAt at(std::size_t i) const { return tasks_[i]; }
  const TraceTask& task(std::size_t i) const { return trace_.ranks[tasks_[i].rank][tasks_[i].task]; }
  std::int64_t place(TaskAt at) const {
    return at == kNoTask ? -1 : static_cast<std::int64_t>(place_[at.rank][at.task]);
  }

 private:
  const Trace& trace_;
  std::vector<TaskAt> tasks_;
  std::vector<std::vector<std::size_t>> place_;  // by rank, then by task
};

// Returns -1 for kNone.
std::int64_t number_or_none(std::uint32_t number) { return number == kNone ? -1 : std::int64_t{number}; }

Json packed_tasks(Page& page, const Drawn& drawn) {
  PackedColumns columns(drawn.size());
  columns.add("rank", [&](std::size_t i) { return drawn.at(i).rank; });
  const auto add = [&](std::string name, auto read) {
    columns.add(std::move(name), [&](std::size_t i) { return read(drawn.task(i)); });
  };
  const auto add_repeating = [&](std::string name, auto read) {
    columns.add_repeating(std::move(name), [&](std::size_t i) { return read(drawn.task(i)); });
  };
  add("worker", [](const TraceTask& t) { return t.worker; });
  add("op", [](const TraceTask& t) { return t.op; });
  add("index", [](const TraceTask& t) { return t.index; });
  add("expert", [](const TraceTask& t) { return number_or_none(t.expert); });
  add("dst", [](const TraceTask& t) { return t.dst; });
  // Times as what lies between them, most of which repeats, so that it packs well (tasks.ts restores them): a task is taken a
  // while after the one before it on its worker, and takes what it takes alone and what it lost.
  columns.add_repeating("gap", [&](std::size_t i) {
    const bool first = i == 0 || drawn.at(i - 1).rank != drawn.at(i).rank ||
                       drawn.task(i - 1).worker != drawn.task(i).worker;
    return (drawn.task(i).taken - (first ? Duration::zero() : drawn.task(i - 1).end)).count();
  });
  add_repeating("before", [](const TraceTask& t) { return (t.start - t.taken).count(); });
  add_repeating("not_waited", [](const TraceTask& t) { return (t.start - t.taken - t.waited).count(); });
  add_repeating("ideal", [](const TraceTask& t) { return t.ideal.count(); });
  add_repeating("left", [](const TraceTask& t) { return (t.done - t.end).count(); });
  add_repeating("flown", [](const TraceTask& t) { return (t.visible - t.done).count(); });
  add_repeating("unexplained", [](const TraceTask& t) {
    return std::accumulate(t.lost.begin(), t.lost.end(), t.ideal - (t.end - t.start)).count();
  });
  add_repeating("arithmetic", [](const TraceTask& t) { return t.arithmetic.count(); });
  for (std::size_t limit = 0; limit < kLimits; ++limit)
    add_repeating(fmt::format("lost_{}", limit),
                  [limit](const TraceTask& t) { return t.lost[limit].count(); });
  add("event", [](const TraceTask& t) { return number_or_none(t.dependent_event); });
  add("trigger_rank", [](const TraceTask& t) { return t.trigger_rank; });
  add("trigger_event", [](const TraceTask& t) { return t.trigger_event; });
  add_repeating("put_bytes", [](const TraceTask& t) { return t.remote ? t.put_bytes : 0; });
  add_repeating("l2_requests", [](const TraceTask& t) { return t.l2_hits + t.l2_misses; });
  add_repeating("l2_misses", [](const TraceTask& t) { return t.l2_misses; });
  add_repeating("hbm_bytes", [](const TraceTask& t) { return t.hbm_bytes; });
  return page.pack(columns);
}

Json packed_path(Page& page, const Drawn& drawn, const CriticalPath& path) {
  PackedColumns columns(path.segments.size());
  const auto add = [&](std::string name, auto read) {
    columns.add(std::move(name), [&](std::size_t i) { return read(path.segments[i]); });
  };
  add("from", [](const PathSegment& s) { return s.from.count(); });
  add("to", [](const PathSegment& s) { return s.to.count(); });
  add("op", [](const PathSegment& s) { return s.op; });
  add("task", [&](const PathSegment& s) { return drawn.place(s.task); });
  add("ran", [](const PathSegment& s) { return s.ran ? 1 : 0; });
  add("blame", [](const PathSegment& s) { return std::ranges::max_element(s.blame) - s.blame.begin(); });
  return page.pack(columns);
}

// The mean over ranks, the least and the most, in thousandths; -1: none.
struct OverRanks {
  std::vector<std::int64_t> mean, least, most;
};

OverRanks over_ranks(const std::vector<std::vector<Counter>>& ranks, std::size_t counter) {
  constexpr double kThousandths = 1000;
  OverRanks over;
  for (std::size_t i = 0; i < ranks.front()[counter].means.size(); ++i) {
    double sum = 0, least = INFINITY, most = 0;
    int number = 0;
    for (const std::vector<Counter>& rank : ranks) {
      const std::optional<double>& value = rank[counter].means[i];
      if (!value) continue;
      sum += *value;
      least = std::min(least, *value);
      most = std::max(most, *value);
      ++number;
    }
    const auto add = [&](std::vector<std::int64_t>& to, double value) {
      to.push_back(number == 0 ? -1 : std::llround(value * kThousandths));
    };
    add(over.mean, sum / std::max(1, number));
    add(over.least, least);
    add(over.most, most);
  }
  return over;
}

Json counters_json(Page& page, const Causes& causes) {
  const Duration makespan = std::max(causes.trace().makespan, Duration(1));
  const Duration stretch = std::max(makespan / kStretches, Duration(1));
  const std::vector<std::vector<Counter>> ranks = counters_of(causes, stretch);
  Json names = Json::array(), units = Json::array(), limits = Json::array();
  PackedColumns columns(ranks.front().front().means.size());
  for (std::size_t c = 0; c < ranks.front().size(); ++c) {
    names.push_back(ranks.front()[c].name);
    units.push_back(ranks.front()[c].unit);
    limits.push_back(ranks.front()[c].limit);
    const OverRanks over = over_ranks(ranks, c);
    columns.add(fmt::format("mean_{}", c), [&](std::size_t i) { return over.mean[i]; });
    columns.add(fmt::format("least_{}", c), [&](std::size_t i) { return over.least[i]; });
    columns.add(fmt::format("most_{}", c), [&](std::size_t i) { return over.most[i]; });
  }
  return {{"stretch_ps", stretch.count()},
          {"names", names},
          {"units", units},
          {"limits", limits},
          {"packed", page.pack(columns)}};
}

Json pass_json(Page& page, const TracedPass& pass) {
  const Trace& trace = pass.trace;
  const Causes causes(trace);
  const Drawn drawn(trace);
  Json operators = Json::array();
  for (const TraceOperator& op : trace.operators)
    operators.push_back({{"name", op.name}, {"unit", name_of(op.unit)}});
  Json kinds = Json::array();
  for (const WorkerKind& kind : trace.machine.workers)
    kinds.push_back({{"name", kind.name}, {"count", kind.count}});
  return {{"name", pass.name},
          {"makespan_ps", trace.makespan.count()},
          {"kinds", std::move(kinds)},
          {"ranks", trace.ranks.size()},
          {"limits", kNamesOf<Limit>},
          {"blames", kNamesOf<Blame>},
          {"operators", std::move(operators)},
          {"has_kernels", trace.machine.has_kernels},
          {"streams", trace.machine.streams},
          {"tasks", packed_tasks(page, drawn)},
          {"path", packed_path(page, drawn, critical_path(causes))},
          {"counters", counters_json(page, causes)}};
}

}  // namespace

void add_runs(Page& page, std::span<const NamedRun> runs) {
  Json list = Json::array();
  for (const NamedRun& run : runs) {
    Json passes = Json::array();
    for (const TracedPass& pass : run.passes) passes.push_back(pass_json(page, pass));
    list.push_back(
        {{"name", run.name}, {"experts_per_rank", run.experts_per_rank}, {"passes", std::move(passes)}});
  }
  const auto has_passes = [](const NamedRun& run) { return !run.passes.empty(); };
  if (std::ranges::none_of(runs, has_passes)) return;
  page.add({{"kind", "runs"}, {"title", "Timeline"}, {"runs", std::move(list)}});
}

}  // namespace a3sim
