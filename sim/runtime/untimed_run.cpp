#include "sim/runtime/untimed_run.h"

#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "sim/core/engine.h"
#include "sim/runtime/event_counters.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/group.h"

namespace a3sim {
namespace {

// A rank whose workers finish a task as soon as they begin it.
class UntimedRank final : public EventHandler, public Workers {
 public:
  UntimedRank(const Ssc& ssc, const Hardware& hardware, const Program& program, const RunOptions& options,
              Group& group)
      : ssc_(ssc),
        events_(ssc.events()),
        running_(ssc.kinds().workers(), kNone),
        site_{ssc, hardware, program, options, events_, group, *this, host_},
        execution_(Executions::get(options.execution).create(site_)) {
    events_.tell(*execution_);
    group.join(*execution_);
  }

  EventCounters& events() { return events_; }
  Execution& execution() { return *execution_; }
  void connect(std::span<EventCounters* const> events) { all_events_ = events; }
  // Returns what the tasks that have not run wait for, a line each; empty if all have run.
  std::string blocked() const {
    if (finished_ == ssc_.tasks().size()) return {};
    const std::string lines = execution_->blocked();
    return lines.empty() ? fmt::format("\n  rank {}: {} of {} tasks run", index(ssc_.rank()), finished_,
                                       ssc_.tasks().size())
                         : lines;
  }

  void assign(std::uint32_t worker, std::uint32_t task, Time) override { running_[worker] = task; }
  void run_at(Engine& engine, std::uint32_t worker, Time at, const StartReason&) override {
    engine.schedule(at, *this, worker);
  }
  void on_event(Engine& engine, std::uint32_t worker) override {
    const std::uint32_t task = running_[worker];
    const TaskDescriptor& td = ssc_.tasks()[task];
    all_events_[td.trigger_rank]->add_at(engine, engine.now(), td.trigger_event, ssc_.rank());
    ++finished_;
    execution_->worker_is_free(engine, worker, task);
  }

 private:
  const Ssc& ssc_;
  EventCounters events_;
  std::span<EventCounters* const> all_events_;
  std::vector<std::uint32_t> running_;  // by worker: its task
  std::vector<HostActivity> host_;
  ExecutionSite site_;
  std::unique_ptr<Execution> execution_;
  std::size_t finished_ = 0;
};

RunOptions without_records(RunOptions options) {
  options.record = false;
  options.hooks = nullptr;
  options.launches = nullptr;
  options.disturbances = nullptr;
  return options;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (const std::size_t begin = line.find_first_not_of(' '); begin != std::string::npos)
      lines.push_back("deadlock: " + line.substr(begin));
  }
  return lines;
}

}  // namespace

std::vector<std::string> find_blocked(const Schedule& schedule, const Hardware& hardware,
                                      const Program& program, const RunOptions& given) {
  const RunOptions options = without_records(given);
  const Program adapted = program_of(program, options);
  Group group(Duration::zero(), schedule.front().shape().ep);
  Engine engine;
  std::vector<std::unique_ptr<UntimedRank>> ranks;
  std::vector<EventCounters*> events;
  for (const Ssc& ssc : schedule) {
    ranks.push_back(std::make_unique<UntimedRank>(ssc, hardware, adapted, options, group));
    events.push_back(&ranks.back()->events());
  }
  for (EventCounters* counters : events) engine.know(*counters);
  for (const auto& rank : ranks) engine.know(rank->execution());
  for (const auto& rank : ranks) engine.know(*rank);
  for (const auto& rank : ranks) {
    rank->connect(events);
    rank->execution().launch(engine);
  }
  engine.run();
  std::string blocked;
  for (const auto& rank : ranks) blocked += rank->blocked();
  return lines_of(blocked);
}

}  // namespace a3sim
