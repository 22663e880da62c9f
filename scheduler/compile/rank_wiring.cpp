#include <vector>

#include "scheduler/compile/components.h"
#include "scheduler/compile/rank_dependencies.h"
#include "scheduler/compile/wiring.h"

namespace a3sim {
namespace {

class RankWiring {
 public:
  explicit RankWiring(Taskflow& taskflow)
      : taskflow_(taskflow),
        view_(taskflow),
        dependencies_(view_),
        event_of_put_(dependencies_.puts(), kNone) {}

  // False: it cannot be said rank by rank.
  bool run() {
    if (!dependencies_.complete()) return false;
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) {
      if (!wire(r)) return false;
    }
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) place_puts(r);
    for (Taskflow::Rank& rank : taskflow_.ranks) {
      if (rank.events.back().threshold == 0) rank.events.pop_back();
    }
    return true;
  }

  const WiringCounts& counts() const { return counts_; }

 private:
  // The rank's events, the last of them `done`, and which tasks wait for them; triggers of all tasks whose results lie
  // here.
  bool wire(std::uint32_t r) {
    const Dependencies dependencies = dependencies_.of(r);
    const Components components(dependencies);
    if (!components.rise(dependencies, taskflow_.operators)) return false;
    counts_.exact_pairs += dependencies.pairs();
    counts_.shared_pairs += components.pairs(dependencies);
    Taskflow::Rank& rank = taskflow_.ranks[r];
    rank.events.assign(components.count, {0, 0});
    rank.events.push_back({0, 1});
    std::uint32_t put = dependencies_.first_put(r);
    for (std::uint32_t g = 0; g < dependencies.groups().size(); ++g) {
      const TaskGroup& group = dependencies.groups()[g];
      const std::uint32_t event = components.counts_in[g];
      if (group.rank != r) {
        event_of_put_[group.first] = event;
        if (event != kNone) ++rank.events[event].threshold;
        continue;
      }
      for (std::uint32_t i = group.first; i < group.first + group.count; ++i) {
        TaskDescriptor& td = rank.table.tasks[i];
        td.dependent_event =
            components.waits_for[g];  // components are numbered as events are: by who waits first
        td.trigger_rank = rank_of_result(r, td);
        // A put's is known once its destination has been looked at.
        td.trigger_event = td.trigger_rank != r ? put++ : event != kNone ? event : components.count;
        if (td.trigger_rank == r) ++rank.events[td.trigger_event].threshold;
      }
    }
    return true;
  }

  // In whose memory the task's result lies.
  std::uint32_t rank_of_result(std::uint32_t own, const TaskDescriptor& td) const {
    const std::vector<Region>& regions = taskflow_.ranks[own].table.regions;
    return td.num_outputs == 0 ? own : regions[td.first_region + td.num_inputs].rank;
  }

  void place_puts(std::uint32_t r) {
    for (TaskDescriptor& td : taskflow_.ranks[r].table.tasks) {
      if (td.trigger_rank == r) continue;
      std::vector<EventDescriptor>& events = taskflow_.ranks[td.trigger_rank].events;
      td.trigger_event = event_of_put_[td.trigger_event];
      if (td.trigger_event != kNone) continue;
      td.trigger_event = static_cast<std::uint32_t>(events.size() - 1);  // `done`
      ++events.back().threshold;
    }
  }

  Taskflow& taskflow_;
  const TaskflowView view_;
  RankDependencies dependencies_;
  WiringCounts counts_;
  std::vector<std::uint32_t>
      event_of_put_;  // by put's number: on its destination, or none that is waited for
};

}  // namespace

std::optional<WiringCounts> wire_by_rank(Taskflow& taskflow) {
  RankWiring wiring(taskflow);
  if (!wiring.run()) return std::nullopt;
  return wiring.counts();
}

}  // namespace a3sim
