#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"
#include "sim/core/units.h"

namespace a3sim {

struct Batches;
struct Bounds;
struct Compiled;
struct Draw;
struct Experiment;
struct Findings;
struct MicroBatchOptions;
struct MicroBatchResult;

// A pass, run once.
struct PassOutcome {
  Duration latency{};
  Duration ends_apart{};  // from the first rank's end to the last one's
  bool stopped = false;   // it would have taken longer than its limit; `latency` is when that was seen
};

// The work of an experiment, compiled or written once, to be run many times, also on machines that differ. Safe for
// many threads at once.
class PreparedWork {
 public:
  virtual ~PreparedWork() = default;
  virtual std::size_t passes() const = 0;
  virtual const std::string& pass_name(std::size_t pass) const = 0;
  // Runs a pass on the machine of `on`, which may differ from the one that the work was prepared for, in one of the
  // draws. A run that must take longer than `limit` stops early. Throws RunError where a run fails.
  virtual PassOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit) const = 0;
  // What no run of the pass can beat on that machine.
  virtual Bounds bounds(const Experiment& on, std::size_t pass) const = 0;
  // Whether the other work's pass runs alike on every machine.
  virtual bool same(const PreparedWork& other, std::size_t pass) const = 0;
  // What an L2 that holds everything of a rank needs at least.
  virtual Bytes footprint() const = 0;
  // The schedules; nullptr: it has none.
  virtual const Compiled* schedules() const { return nullptr; }
};

// What an experiment runs. Commands ask it for what they need; where it has no such thing, it gives the reason as a
// sentence that follows the experiment's name and a colon.
class ExperimentWork {
 public:
  virtual ~ExperimentWork() = default;
  // Compiles schedules or writes programs. Throws InputError where the experiment does not allow it, with passes
  // beside one another in so many threads; the result does not depend on their number.
  virtual std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment,
                                                      unsigned threads) const = 0;
  // Gives what is wrong with what would run, and what was checked, pass by pass.
  using FindingsVisitor = std::function<void(const std::string& pass, const Findings& findings)>;
  virtual void check(const Experiment& experiment, const FindingsVisitor& visit) const = 0;

  // How it is executed, as results say it: "static", "streams".
  virtual std::string execution(const Experiment& experiment) const;
  // What tells it from others of its kind in a table: the name of its order, or of its method.
  virtual std::string label(const Experiment& experiment) const;

  // Why a pass has no schedules that can be compiled, shown and put into another order; empty: it has.
  virtual std::string why_no_schedules() const { return {}; }
  // Why there is no run of schedules under the experiment's own routing; empty: there is.
  virtual std::string why_no_schedule_run() const { return why_no_schedules(); }
  // Why there are no programs of kernels on streams; empty: there are.
  virtual std::string why_no_programs() const {
    return "experiment.execution is not streams: 'a3sim run' runs it";
  }
  // Why the steps of a job cannot be simulated; empty: they can.
  virtual std::string why_no_steps() const { return {}; }

  // How micro-batches follow one another; nullptr: there are none.
  virtual const MicroBatchOptions* micro_batches() const { return nullptr; }
  // Runs them all. Throws InputError where there are none.
  virtual std::vector<MicroBatchResult> run_micro_batches(const Experiment& experiment,
                                                          const Batches& batches) const;
};

// A kind of work that experiments can hold: one file each in works/, registered by its name.
struct WorkType {
  static constexpr std::string_view kKind = "kind of work";
  // Whether the block `experiment` asks for it. One of all kinds takes an experiment; `taskflow` takes those that no
  // other does.
  bool (*takes)(const Config& experiment);
  // Reads how it runs: the keys of its own, and the experiment's run options. The hardware has been read.
  std::shared_ptr<const ExperimentWork> (*read)(const Config& root, Experiment& experiment);
};
using WorkTypes = Registry<WorkType>;

// Reads the work of an experiment.
std::shared_ptr<const ExperimentWork> read_work(const Config& root, Experiment& experiment);

// The work that runs the experiment's schedules once.
std::shared_ptr<const ExperimentWork> taskflow_work();

}  // namespace a3sim
