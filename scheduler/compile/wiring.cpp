#include "scheduler/compile/wiring.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "scheduler/compile/levelling.h"
#include "scheduler/compile/reduction.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// Turns components into events of ranks.
class EventTables {
 public:
  EventTables(Taskflow& taskflow, const Dependencies& dependencies, const Components& components)
      : taskflow_(taskflow),
        dependencies_(dependencies),
        components_(components),
        places_(components.count) {}

  void fill() {
    for (Taskflow::Rank& rank : taskflow_.ranks) rank.events.clear();
    place_components();
    for (std::uint32_t g = 0; g < dependencies_.groups().size(); ++g) wire_group(g);
  }

 private:
  struct Place {
    std::uint32_t rank = kNone, event = kNone;
  };

  // An event is on the rank that waits for it.
  void place_components() {
    for (std::uint32_t g = 0; g < dependencies_.groups().size(); ++g) {
      const std::uint32_t component = components_.waits_for[g];
      if (component == kNone) continue;
      const std::uint32_t rank = dependencies_.groups()[g].rank;
      Place& place = places_[component];
      if (place.rank == kNone) {
        std::vector<EventDescriptor>& events = taskflow_.ranks[rank].events;
        place = {rank, static_cast<std::uint32_t>(events.size())};
        events.push_back({0, 0});
      } else if (place.rank != rank) {
        throw InputError(
            fmt::format("{} on rank {} and on rank {} would wait for one event: what a task writes may be "
                        "read on one rank only",
                        taskflow_.operators[dependencies_.groups()[g].op].name, place.rank, rank));
      }
    }
  }

  void wire_group(std::uint32_t g) {
    const TaskGroup& group = dependencies_.groups()[g];
    const std::uint32_t waits_for = components_.waits_for[g], counts_in = components_.counts_in[g];
    TaskTable& table = taskflow_.ranks[group.rank].table;
    for (std::uint32_t i = group.first; i < group.first + group.count; ++i) {
      TaskDescriptor& td = table.tasks[i];
      const Place place = counts_in == kNone ? done_place(group.rank, td) : places_[counts_in];
      ++taskflow_.ranks[place.rank].events[place.event].threshold;
      td.dependent_event = waits_for == kNone ? kNone : places_[waits_for].event;
      td.trigger_event = place.event;
      td.trigger_rank = place.rank;
    }
  }

  // Returns the `done` event of the rank whose memory holds the task's result. All shared events are placed
  // before, so it is the rank's last one.
  Place done_place(std::uint32_t own, const TaskDescriptor& td) {
    const std::vector<Region>& regions = taskflow_.ranks[own].table.regions;
    const std::uint32_t rank = td.num_outputs == 0 ? own : regions[td.first_region + td.num_inputs].rank;
    std::vector<EventDescriptor>& events = taskflow_.ranks[rank].events;
    if (events.empty() || !events.back().done) events.push_back({0, 1});
    return {rank, static_cast<std::uint32_t>(events.size() - 1)};
  }

  Taskflow& taskflow_;
  const Dependencies& dependencies_;
  const Components& components_;
  std::vector<Place> places_;
};

}  // namespace

WiringCounts wire_group(Taskflow& taskflow) {
  Dependencies dependencies = Dependencies::find(TaskflowView(taskflow));
  Reduction(taskflow.operators).apply(dependencies);
  WiringCounts counts;
  counts.exact_pairs = dependencies.pairs();
  Components components(dependencies);
  counts.joins = level(taskflow, dependencies, components);
  if (counts.joins > 0) components = Components(dependencies);
  counts.shared_pairs = components.pairs(dependencies);
  EventTables(taskflow, dependencies, components).fill();
  return counts;
}

WiringCounts wire(Taskflow& taskflow) {
  const std::optional<WiringCounts> by_rank = wire_by_rank(taskflow);
  return by_rank ? *by_rank : wire_group(taskflow);
}

}  // namespace a3sim
