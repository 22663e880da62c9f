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

// The event counters in one rank's memory. Tasks of any rank add to them. The listener is told when an event
// reaches its threshold.
class EventCounters final : public EventHandler {
 public:
  class Listener {
   public:
    virtual void event_is_complete(Engine& engine, std::uint32_t event) = 0;

   protected:
    ~Listener() = default;
  };

  // `events` must outlive the counters.
  explicit EventCounters(std::span<const EventDescriptor> events)
      : events_(events), counts_(events.size(), 0), last_(events.size()) {}
  // Sets the listener. Call this once, before anything is added.
  void tell(Listener& listener) { listener_ = &listener; }
  // Records which tasks complete the events. Call this before anything is added.
  void keep_producers() { producers_.resize(events_.size()); }

  std::uint32_t count(std::uint32_t event) const { return counts_[event]; }
  bool is_complete(std::uint32_t event) const { return counts_[event] >= events_[event].threshold; }
  // Adds one to the event at `visible`, for a trigger by a task of rank `from`. `task` names that task, by
  // the number of the rank that was simulated, if producers are kept.
  void add_at(Engine& engine, Time visible, std::uint32_t event, RankId from, TaskAt task = {}) {
    Trigger& last = last_[event];
    if (!producers_.empty()) keep(visible, event, task);
    // Among triggers of one time, the largest rank counts, in whatever order they were told.
    const bool later = visible > last.visible || last.rank == kNone;
    if (later || (visible == last.visible && index(from) > last.rank)) last = {visible, index(from)};
    engine.schedule(visible, *this, event);
  }
  // The last trigger of an event, and its rank. A complete event has received all its triggers.
  struct Trigger {
    Time visible;
    std::uint32_t rank = kNone;
  };
  const Trigger& last_trigger(std::uint32_t event) const { return last_[event]; }
  // Returns the task whose trigger completed the event, if producers are kept. Among triggers of one time,
  // that of the smallest rank and task number.
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
  std::vector<TaskAt> producers_;  // one entry per event, if they are kept
  Listener* listener_ = nullptr;
};

}  // namespace a3sim
