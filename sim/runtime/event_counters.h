#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/taskflow/taskflow.h"
#include "sim/core/engine.h"
#include "sim/core/ids.h"
#include "sim/runtime/cause.h"

namespace a3sim {

// The event counters in one rank's memory. Tasks of any rank add to them; whoever gives the rank's workers
// their tasks is told when one reaches its threshold.
class EventCounters final : public EventHandler {
 public:
  class Listener {
   public:
    virtual void event_is_complete(Engine& engine, std::uint32_t event) = 0;

   protected:
    ~Listener() = default;
  };

  // The events stay where they are as long as the counters.
  explicit EventCounters(std::span<const EventDescriptor> events)
      : events_(events), counts_(events.size(), 0), last_(events.size()) {}
  // Once, before anything is added.
  void tell(Listener& listener) { listener_ = &listener; }
  // Keeps which tasks complete the events. Before anything is added.
  void keep_producers() { producers_.resize(events_.size()); }

  std::uint32_t count(std::uint32_t event) const { return counts_[event]; }
  bool is_complete(std::uint32_t event) const { return counts_[event] >= events_[event].threshold; }
  // A trigger of the event by a task of rank `from` becomes visible here at this date. `task` is the same task
  // where producers are kept, under the number of the rank that was simulated.
  void add_at(Engine& engine, Time visible, std::uint32_t event, RankId from, TaskAt task = {}) {
    Trigger& last = last_[event];
    if (!producers_.empty()) keep(visible, event, task);
    // Of several at one date the one with the largest number, whichever was told first.
    const bool later = visible > last.visible || last.rank == kNone;
    if (later || (visible == last.visible && index(from) > last.rank)) last = {visible, index(from)};
    engine.schedule(visible, *this, event);
  }
  // The last of an event's triggers, and whose it was; complete events have got all of theirs.
  struct Trigger {
    Time visible;
    std::uint32_t rank = kNone;
  };
  const Trigger& last_trigger(std::uint32_t event) const { return last_[event]; }
  // The task whose trigger completed the event, if producers are kept: of several at one date that of the
  // smallest rank and number.
  TaskAt producer(std::uint32_t event) const { return producers_[event]; }

  void on_event(Engine& engine, std::uint32_t event) override {
    if (++counts_[event] == events_[event].threshold) listener_->event_is_complete(engine, event);
  }

 private:
  void keep(Time visible, std::uint32_t event, TaskAt task) {
    TaskAt& last = producers_[event];
    const bool before = std::pair(task.rank, task.task) < std::pair(last.rank, last.task);
    if (visible > last_[event].visible || last == kNoTask || (visible == last_[event].visible && before))
      last = task;
  }

  std::span<const EventDescriptor> events_;
  std::vector<std::uint32_t> counts_;
  std::vector<Trigger> last_;
  std::vector<TaskAt> producers_;  // by event, if they are kept
  Listener* listener_ = nullptr;
};

}  // namespace a3sim
