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

// Executions: they decide when a rank's tasks run, and on which of its workers.
namespace a3sim {

// A rank's workers, as an execution controls them. They are numbered kind by kind.
class Workers {
 public:
  // Gives a task to a worker.
  virtual void assign(std::uint32_t worker, std::uint32_t task, Time now) = 0;
  // Runs the worker's task from `at` on. `why` is recorded if records are kept.
  virtual void run_at(Engine& engine, std::uint32_t worker, Time at, const StartReason& why) = 0;

 protected:
  ~Workers() = default;
};

// Everything that an execution sees of its rank. Must outlive the execution.
struct ExecutionSite {
  const Ssc& ssc;
  const Hardware& hardware;  // at the rank's clock
  const Program& program;
  const RunOptions& options;
  const EventCounters& events;
  Group& group;
  Workers& workers;
  std::vector<HostActivity>& host;  // activities of the rank's host, if records are kept

  std::uint32_t worker_count() const { return ssc.kinds().workers(); }
  bool records() const { return options.record; }
  // Return the task, or the task that completed the event, as the cause of another activity.
  Cause task_cause(Cause::Kind kind, std::uint32_t task) const {
    return {kind, false, index(ssc.rank()), task};
  }
  Cause event_cause(std::uint32_t event) const {
    const TaskAt producer = events.producer(event);
    return {Cause::Kind::kEvent, false, producer.rank, producer.task};
  }
  // Records an activity of the host. Returns it as the cause of what its rank does next.
  Cause host_did(const HostActivity& activity) const {
    host.push_back(activity);
    return {Cause::Kind::kHost, true, index(ssc.rank()), static_cast<std::uint32_t>(host.size() - 1)};
  }
  // Returns "rank 0 AIC 3: task 17 (GMM1 0) waits for event 4: 1 of 2" on a line of its own; without the
  // worker for kNone.
  std::string waits(std::uint32_t task, std::uint32_t worker) const;
};

// Gives one rank's tasks to its workers; there is one object per rank. The engine calls its on_event() at the
// times that it schedules.
class Execution : public EventHandler, public EventCounters::Listener {
 public:
  virtual ~Execution() = default;
  // Starts the kernel, or the first of several.
  virtual void launch(Engine& engine) = 0;
  // Called when the worker's task has ended.
  virtual void worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t task) = 0;
  // Says what the tasks that have not run wait for, one line each; empty if all have run.
  virtual std::string blocked() const = 0;
};

// The form of schedule that an execution needs.
enum class ScheduleCut : std::uint8_t {
  kTiles,    // tasks wait for events of one another's tiles
  kKernels,  // one kernel of the host per operator, one after another; tasks wait for no events
  kFused  // the same, but consecutive vector operators form one kernel, which deals rows to AIVs one by one
};

// A way to run schedules. Registered by its name in configurations.
class ExecutionType {
 public:
  static constexpr std::string_view kKind = "execution";
  virtual ~ExecutionType() = default;
  virtual std::unique_ptr<Execution> create(const ExecutionSite& site) const = 0;
  // True if the host launches kernels one after another under this transport: all ranks meet between kernels,
  // and tasks wait for no events of other ranks.
  virtual bool launches_kernels(Transport /*transport*/) const { return false; }
  // Changes those of the program's times that differ under this execution.
  virtual void adapt(Program& /*program*/) const {}
  // Returns the form of its schedules.
  virtual ScheduleCut cut() const { return ScheduleCut::kTiles; }
  // Returns the paths, in a configuration, of program values that count under this execution but not under
  // all others.
  virtual std::vector<std::string_view> charges(Transport transport) const = 0;
  // True if the host's collectives can stand between its parts.
  virtual bool takes_collectives() const { return true; }
  // Returns the transport that is used unless the configuration names one.
  virtual Transport usual_transport() const { return Transport::kPuts; }
  // Returns the shortest time before the very first task can run.
  virtual Duration first_task(const Program& program) const = 0;
};
using Executions = Registry<ExecutionType>;

// True if a run under these options uses the program value at `path`, which only some executions do.
bool charges(const RunOptions& options, std::string_view path);
// Return the hardware as one rank runs on it: at the rank's clock and HBM rates.
Hardware hardware_of(const Hardware& hardware, const RankOptions& rank);
Hardware hardware_of(const Hardware& hardware, const RunOptions& options, RankId rank);
// Returns the program as the execution uses it. Matrix tasks of kernels need no start of their own, since the
// host has prepared them.
Program program_of(const Program& program, const RunOptions& options);

}  // namespace a3sim
