#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/ssc/ssc.h"
#include "sim/core/engine.h"
#include "sim/core/registry.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/runtime/cause.h"
#include "sim/runtime/event_counters.h"
#include "sim/runtime/group.h"
#include "sim/runtime/run_options.h"

// How a rank's tasks get to its workers.
namespace a3sim {

// A rank's workers: what an execution may do with them. They are numbered kind by kind.
class Workers {
 public:
  // A worker has got a task.
  virtual void assign(std::uint32_t worker, std::uint32_t task, Time now) = 0;
  // Its task runs from this date on, for this reason if records are kept.
  virtual void run_at(Engine& engine, std::uint32_t worker, Time at, const StartReason& why) = 0;

 protected:
  ~Workers() = default;
};

// All that an execution sees of its rank. It outlives the execution.
struct ExecutionSite {
  const Ssc& ssc;
  const Hardware& hardware;  // at the rank's clock
  const Program& program;
  const RunOptions& options;
  const EventCounters& events;
  Group& group;
  Workers& workers;
  std::vector<HostActivity>& host;  // what the rank's host did, if records are kept

  std::uint32_t worker_count() const { return ssc.kinds().workers(); }
  bool records() const { return options.record; }
  // The activity as a cause of others.
  Cause task_cause(Cause::Kind kind, std::uint32_t task) const {
    return {kind, false, index(ssc.rank()), task};
  }
  Cause event_cause(std::uint32_t event) const {
    const TaskAt producer = events.producer(event);
    return {Cause::Kind::kEvent, false, producer.rank, producer.task};
  }
  // Records what the host did. Returns it as the cause of what its rank does next.
  Cause host_did(const HostActivity& activity) const {
    host.push_back(activity);
    return {Cause::Kind::kHost, true, index(ssc.rank()), static_cast<std::uint32_t>(host.size() - 1)};
  }
  // "rank 0 AIC 3: task 17 (GMM1 0) waits for event 4: 1 of 2", on a line of its own; without the worker for
  // kNone.
  std::string waits(std::uint32_t task, std::uint32_t worker) const;
};

// One object a rank; it gives tasks to the rank's workers. Dates that it asks the engine for come to its
// on_event().
class Execution : public EventHandler, public EventCounters::Listener {
 public:
  virtual ~Execution() = default;
  // The kernel, or the first one, runs.
  virtual void launch(Engine& engine) = 0;
  // The worker's task has ended.
  virtual void worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t task) = 0;
  // What keeps the tasks that have not run, a line each; empty if none.
  virtual std::string blocked() const = 0;
};

// What a schedule is cut for.
enum class ScheduleCut : std::uint8_t {
  kTiles,    // tasks that wait for events of one another's tiles
  kKernels,  // operators one after the other, as kernels of the host: their tasks wait for no events
  kFused  // kernels too, but vector operators that follow one another are one, which deals rows to AIVs one by one
};

// A way to run schedules, registered by its name in configurations.
class ExecutionType {
 public:
  static constexpr std::string_view kKind = "execution";
  virtual ~ExecutionType() = default;
  virtual std::unique_ptr<Execution> create(const ExecutionSite& site) const = 0;
  // Whether the host launches kernels one after the other, where rows move this way: between kernels all ranks
  // meet, and tasks wait for no events of other ranks.
  virtual bool launches_kernels(Transport /*transport*/) const { return false; }
  // What of the program's times is otherwise where schedules run this way.
  virtual void adapt(Program& /*program*/) const {}
  // What its schedules are cut for.
  virtual ScheduleCut cut() const { return ScheduleCut::kTiles; }
  // The program's values that its runs charge and others do not, by their paths in a configuration.
  virtual std::vector<std::string_view> charges(Transport transport) const = 0;
  // Whether the host's collectives can stand between its parts.
  virtual bool takes_collectives() const { return true; }
  // Whose bytes move unless the configuration says.
  virtual Transport usual_transport() const { return Transport::kPuts; }
  // The least that is spent on a task before it runs, were it the first.
  virtual Duration first_task(const Program& program) const = 0;
};
using Executions = Registry<ExecutionType>;

// Whether a run under these options charges the program's value, which only some executions do.
bool charges(const RunOptions& options, std::string_view path);
// The hardware as one rank's schedule runs on it: at the rank's clock.
Hardware hardware_of(const Hardware& hardware, const RunOptions& options, RankId rank);
// The program as the execution uses it: kernels' matrix tasks need no start of their own, as the host has prepared them.
Program program_of(const Program& program, const RunOptions& options);

}  // namespace a3sim
