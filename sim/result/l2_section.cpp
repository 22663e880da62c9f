#include "sim/result/l2_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/l2_held.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kSamples = 160;  // of a pass
constexpr std::size_t kMostGroups = 12;  // that have an area of their own

// Tensors that one operator wrote, or that it is the first to read of those that lay in memory.
struct TensorGroup {
  std::string name;
  bool written = false;
  std::vector<double> mebibytes;  // by time

  double peak() const { return std::ranges::max(mebibytes); }
};

std::uint32_t rank_that_ends_last(const Trace& trace) {
  if (trace.last != kNoTask) return trace.last.rank;
  std::uint32_t last = 0;
  Duration end{};
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    for (const TraceTask& task : trace.ranks[rank]) {
      if (task.visible > end) {
        end = task.visible;
        last = rank;
      }
    }
  }
  return last;
}

// Returns the group of a tensor, by name: what of it is known from the operators.
TensorGroup group_of(const Ssc& ssc, std::size_t tensor) {
  if (tensor >= ssc.tensors().size()) return {"left by earlier runs", false, {}};
  const TensorId id{static_cast<std::uint32_t>(tensor)};
  const auto lists = [&](const std::vector<TensorId>& ids) {
    return std::ranges::find(ids, id) != ids.end();
  };
  if (!ssc.tensors()[tensor].external) {
    for (const OperatorInfo& op : ssc.operators())
      if (lists(op.outputs)) return {op.name + ", written", true, {}};
  }
  for (const OperatorInfo& op : ssc.operators())
    if (lists(op.inputs)) return {"read by " + op.name, false, {}};
  return {ssc.tensors()[tensor].name, false, {}};
}

std::vector<TensorGroup> groups_of(const Ssc& ssc, const L2Held& held) {
  std::vector<TensorGroup> groups;
  for (std::size_t tensor = 0; tensor < held.bytes.front().size(); ++tensor) {
    TensorGroup group = group_of(ssc, tensor);
    auto found = std::ranges::find(groups, group.name, &TensorGroup::name);
    if (found == groups.end()) {
      group.mebibytes.resize(held.bytes.size());
      found = groups.insert(found, std::move(group));
    }
    for (std::size_t i = 0; i < held.bytes.size(); ++i)
      found->mebibytes[i] += static_cast<double>(held.bytes[i][tensor]) / (1 << 20);
  }
  std::erase_if(groups, [](const TensorGroup& group) { return group.peak() <= 0; });
  return groups;
}

// Joins all but the groups that hold most at some time.
void join_small(std::vector<TensorGroup>& groups) {
  if (groups.size() <= kMostGroups) return;
  std::vector<double> peaks;
  for (const TensorGroup& group : groups) peaks.push_back(group.peak());
  std::ranges::sort(peaks, std::greater());
  const double least = peaks[kMostGroups - 2];
  TensorGroup others{"others", false, std::vector<double>(groups.front().mebibytes.size())};
  std::erase_if(groups, [&](const TensorGroup& group) {
    if (group.peak() >= least) return false;
    for (std::size_t i = 0; i < others.mebibytes.size(); ++i) others.mebibytes[i] += group.mebibytes[i];
    return true;
  });
  groups.push_back(std::move(others));
}

// The n-th tone or hatching for what no operator wrote (traces/report/web/src/palette.ts).
std::uint32_t ink(std::size_t n) {
  constexpr std::uint32_t kFirst = 2000, kTones = 8;
  constexpr std::uint32_t kInks[] = {5, kTones + 3, 2, 2 * kTones + 4, 3 * kTones + 3, 7, kTones + 6, 0};
  return kFirst + kInks[n % std::size(kInks)];
}

Figure l2_figure(const std::string& title, std::uint32_t rank, double size, Duration makespan,
                 const std::vector<TensorGroup>& groups) {
  Figure figure;
  figure.title = "L2 by tensor, " + title;
  figure.origin = fmt::format(
      "rank {}, which ends last. In colour: what an operator wrote; in grey: what lay in memory before, by "
      "its "
      "first reader. The line is the L2's size",
      rank);
  figure.legend = "operator";
  figure.stacked = true;
  const double end = 1e3 * seconds(makespan);
  constexpr double kAbove = 1.08;
  figure.x = {"ms", false, false, 0, end, {}, {}};
  figure.y = {"MiB", false, false, 0, kAbove * size, {}, {}};
  std::size_t inks = 0;
  for (const TensorGroup& group : groups) {
    FigureSeries& series = figure.series.emplace_back();
    series = {group.name, FigureKind::kLine, group.written ? 0 : ink(inks++), false, {}};
    series.points.push_back(FigurePoint::at(0, 0));
    const auto samples = static_cast<double>(group.mebibytes.size());
    constexpr double kSteps = 1e5;  // of a millisecond: short numbers make a small page
    for (std::size_t i = 0; i < group.mebibytes.size(); ++i) {
      const double at = std::round(kSteps * end * static_cast<double>(i + 1) / samples) / kSteps;
      series.points.push_back(FigurePoint::at(at, group.mebibytes[i]));
    }
  }
  figure.series.push_back({"", FigureKind::kPlain, kTextColor, false, {}});
  for (const double x : {0.0, end}) figure.series.back().points.push_back(FigurePoint::at(x, size));
  return figure;
}

}  // namespace

std::optional<Figure> l2_over_time(const std::string& title, const Experiment& experiment,
                                   const PreparedWork& work, std::size_t pass, const Trace& trace) {
  const Compiled* const compiled = work.schedules();
  if (compiled == nullptr || pass >= compiled->passes.size()) return {};
  const Schedule& schedule = compiled->passes[pass].schedule;
  if (schedule.size() != trace.ranks.size()) return {};
  const std::uint32_t rank = rank_that_ends_last(trace);
  const L2Held held = run_for_l2(schedule, compiled->counts, experiment.hardware, experiment.program,
                                 backend_in_threads(experiment), options_of(experiment, false), rank,
                                 trace.makespan, kSamples);
  if (held.bytes.empty() || held.makespan != trace.makespan) return {};
  std::vector<TensorGroup> groups = groups_of(schedule[rank], held);
  if (groups.empty()) return {};
  join_small(groups);
  const double size = static_cast<double>(experiment.hardware.memory.l2_size.count) / (1 << 20);
  return l2_figure(title, rank, size, trace.makespan, groups);
}

}  // namespace a3sim
