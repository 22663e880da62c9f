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

  // Returns false if wiring rank by rank is not possible.
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
  // Makes the rank's events, the last of which is `done`, and sets which tasks wait for them and which tasks
  // with results here trigger them.
  bool wire(std::uint32_t r) {
    const Dependencies dependencies = dependencies_.find(r);
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
        td.dependent_event = components.waits_for[g];
        td.trigger_rank = rank_of_result(r, td);
        // The event of a put is known after its destination has been processed. Until then, its number stands
        // here.
        td.trigger_event = td.trigger_rank != r ? put++ : event != kNone ? event : components.count;
        if (td.trigger_rank == r) ++rank.events[td.trigger_event].threshold;
      }
    }
    return true;
  }

  // Returns the rank whose memory holds the task's result.
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
  std::vector<std::uint32_t> event_of_put_;  // one entry per put number: event on its destination, or kNone
};

}  // namespace

std::optional<WiringCounts> wire_by_rank(Taskflow& taskflow) {
  RankWiring wiring(taskflow);
  if (!wiring.run()) return std::nullopt;
  return wiring.counts();
}

}  // namespace a3sim
