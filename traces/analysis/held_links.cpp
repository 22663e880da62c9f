#include "traces/analysis/held_links.h"

#include <algorithm>
#include <numeric>

namespace a3sim {
namespace {

constexpr auto kLinkLimit = static_cast<std::size_t>(Limit::kLink);

Duration total_of(const std::vector<Duration>& times) {
  return std::accumulate(times.begin(), times.end(), Duration::zero());
}

// Returns what all puts lost to each link.
std::vector<Duration> times_of_all_puts(const Trace& trace) {
  std::vector<Duration> times(trace.links.size() + 1);
  for (const std::vector<TraceTask>& tasks : trace.ranks) {
    for (const TraceTask& task : tasks) {
      if (task.link != kNone) times.at(task.link) += task.held;
      times.back() += task.lost[kLinkLimit] - task.held;
    }
  }
  return times;
}

}  // namespace

std::vector<Duration> link_times(const Trace& trace, const CriticalPath& path, Duration from, Duration to) {
  std::vector<Duration> times(trace.links.size() + 1);
  for (const PathSegment& segment : path.segments) {
    Duration lost = segment.blame[static_cast<std::size_t>(Blame::kLink)];
    if (segment.from < from || segment.to > to || lost == Duration::zero()) continue;
    if (segment.ran && segment.task != kNoTask) {
      const TraceTask& task = trace.ranks.at(segment.task.rank).at(segment.task.task);
      const Duration held = std::min(lost, task.held);
      if (task.link != kNone) times.at(task.link) += held;
      lost -= held;
    }
    times.back() += lost;
  }
  return times;
}

std::string link_name(const Trace& trace, const CriticalPath& path, Duration from, Duration to) {
  std::string ports(name_of(Blame::kLink));
  if (trace.links.empty()) return ports;
  const std::vector<Duration> times = link_times(trace, path, from, to);
  const auto longest = std::max_element(times.begin(), times.end() - 1);
  const Duration total = total_of(times);
  if (2 * times.back() > total) return ports;
  if (2 * *longest < total) return "several cables";
  return trace.links[static_cast<std::size_t>(longest - times.begin())];
}

void add_links(Report& report, const Trace& trace, const CriticalPath& path) {
  if (trace.links.empty()) return;
  constexpr std::size_t kShown = 10;
  const std::vector<Duration> on_path = link_times(trace, path, Duration::zero(), trace.makespan),
                              of_puts = times_of_all_puts(trace);
  std::vector<std::size_t> order(on_path.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(on_path[a], of_puts[a]) > std::pair(on_path[b], of_puts[b]);
  });
  Table& table =
      report.table("links", {Column::words("lost to", "link"),
                             Column::milliseconds("critical path ms", "critical_path_ps"),
                             Column::percent("of it"), Column::milliseconds("all puts ms", "puts_ps")});
  std::size_t shown = 0;
  for (const std::size_t link : order) {
    if (of_puts[link] == Duration::zero() && on_path[link] == Duration::zero()) continue;
    table.add({link < trace.links.size() ? trace.links[link] : "ports", on_path[link],
               share(on_path[link], trace.makespan), of_puts[link]},
              ++shown > kShown ? Audience::kPrograms : Audience::kAll);
  }
}

}  // namespace a3sim
