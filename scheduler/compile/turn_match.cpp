#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "scheduler/compile/turn_check.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// Matches tasks of representatives with those of other ranks, place by place, and each event with one.
class TurnMatch {
 public:
  TurnMatch(const QueuedTasks& here, const QueuedTasks& next, const CompileOptions& options)
      : here_(here),
        next_(next),
        options_(options),
        next_event_(events_of(here)),
        event_of_next_(events_of(next)) {}

  void run() {
    for (std::uint32_t r = 0; r < here_.queues.size(); ++r) {
      for (std::size_t q = 0; q < here_.queues[r].size(); ++q) {
        const std::vector<std::uint32_t>&a = here_.queues[r][q], &b = next_.queues[r][q];
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) match(r, a[i], b[i]);
        if (a.size() != b.size()) refuse(r, a.size() > b.size() ? a.back() : a.front(), "has no counterpart");
      }
    }
  }

 private:
  using Events = std::vector<std::vector<std::uint32_t>>;  // by rank, then event

  static Events events_of(const QueuedTasks& tasks) {
    Events events;
    for (const TaskflowView::Rank& rank : tasks.taskflow.ranks)
      events.emplace_back(rank.events.size(), kNone);
    return events;
  }

  [[noreturn]] void refuse(std::uint32_t rank, std::uint32_t task, std::string_view why) const {
    const CutOptions& cut = options_.cut;
    const std::string_view cause =
        cut.partitions > 1 ? " (a partition of an expert's rows has those of other ranks there)" : "";
    throw InputError(fmt::format(
        "{} of rank {} {} on rank {}{}, so ranks are not alike; take experiment.simulate all{}",
        here_.taskflow.task_name(rank, task), rank, why, (rank + next_.taskflow.first) % options_.shape.ep,
        cause, cut.partitions > 1 ? ", or cut.partitions 1" : ""));
  }

  void match(std::uint32_t rank, std::uint32_t task, std::uint32_t other) {
    const TaskflowView::Rank &here = here_.taskflow.ranks[rank], &next = next_.taskflow.ranks[rank];
    const TaskDescriptor &a = here.tasks[task], &b = next.tasks[other];
    if (!same_work(a, b) || !same_regions(here, a, next, b) || !same_worker(rank, task, other))
      refuse(rank, task, "does not stand in the place of its counterpart");
    if (options_.cut.kernel) return;  // kernels wait for kernels, not for events
    if ((a.dependent_event == kNone) != (b.dependent_event == kNone)) refuse(rank, task, kWaits);
    if (a.dependent_event != kNone)
      match_event(rank, task, rank, a.dependent_event, b.dependent_event, kWaits);
    if (a.trigger_rank != b.trigger_rank) refuse(rank, task, kTriggers);
    match_event(rank, task, a.trigger_rank, a.trigger_event, b.trigger_event, kTriggers);
  }

  bool same_worker(std::uint32_t rank, std::uint32_t task, std::uint32_t other) const {
    return here_.workers.empty() || here_.workers[rank][task] == next_.workers[rank][other];
  }

  bool same_work(const TaskDescriptor& a, const TaskDescriptor& b) const {
    const std::uint32_t ep = options_.shape.ep, turn = next_.taskflow.first;
    return a.op == b.op && a.expert == b.expert && (a.src + turn) % ep == b.src &&
           (a.dst + turn) % ep == b.dst && a.tile == b.tile && a.chunk == b.chunk &&
           a.task_split_value == b.task_split_value && a.num_inputs == b.num_inputs &&
           a.num_outputs == b.num_outputs;
  }

  static bool same_regions(const TaskflowView::Rank& here, const TaskDescriptor& a,
                           const TaskflowView::Rank& next, const TaskDescriptor& b) {
    const std::size_t count = std::size_t{a.num_inputs} + a.num_outputs;
    return std::ranges::equal(
        here.regions.subspan(a.first_region, count), next.regions.subspan(b.first_region, count),
        [](const Region& x, const Region& y) {
          return x.tensor == y.tensor && x.rank == y.rank && x.flags == y.flags &&
                 x.rows().size() == y.rows().size() && x.share == y.share && x.shares == y.shares;
        });
  }

  // Matches two events of a rank, which must be each other's and count to the same number.
  void match_event(std::uint32_t rank, std::uint32_t task, std::uint32_t owner, std::uint32_t event,
                   std::uint32_t other, std::string_view why) {
    std::uint32_t &there = next_event_[owner][event], &back = event_of_next_[owner][other];
    if (there == kNone && back == kNone) {
      there = other;
      back = event;
      const EventDescriptor &a = here_.taskflow.ranks[owner].events[event],
                            &b = next_.taskflow.ranks[owner].events[other];
      if (a.threshold == b.threshold && a.done == b.done) return;
    }
    if (there != other || back != event) refuse(rank, task, why);
  }

  static constexpr std::string_view kWaits = "waits for other tasks than its counterpart";
  static constexpr std::string_view kTriggers = "is awaited by other tasks than its counterpart";

  const QueuedTasks &here_, &next_;
  const CompileOptions& options_;
  Events next_event_, event_of_next_;
};

}  // namespace

void check_turn(const QueuedTasks& representatives, const QueuedTasks& next, const CompileOptions& options) {
  TurnMatch(representatives, next, options).run();
}

}  // namespace a3sim
