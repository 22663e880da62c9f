#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"
#include "sim/core/units.h"

namespace a3sim {

struct Bounds;
struct Compiled;
class CompileCache;
struct Draw;
struct Experiment;
struct Findings;
struct MicroBatchOptions;
struct OwnSections;
struct RunEstimate;
struct RunOutcome;

// How long one run of a pass took.
struct PassOutcome {
  Duration latency{};
  Duration ends_apart{};  // from the first rank's end to the last one's
  bool stopped = false;   // its latency would exceed its limit; `latency` is when this was known
};

// Says how much a run keeps: its latency alone, also sums by rank and operator and the bounds, or also the trace.
enum class Record : std::uint8_t { kLatency, kSums, kTrace };

// A metric that only one kind of work has, of one pass or of all ('total'). Each value is one sample, in the
// metric's unit.
struct SampledMetric {
  std::string pass, name;
  std::vector<double> values;
};

// The work of an experiment, compiled or written once, to be run many times, also on machines that differ.
// Thread-safe.
class PreparedWork {
 public:
  virtual ~PreparedWork() = default;
  virtual std::size_t passes() const = 0;
  virtual const std::string& pass_name(std::size_t pass) const = 0;
  // Runs a pass in one of the draws, on the machine of `on`, which may differ from the one that the work was
  // prepared for. A run that must take longer than `limit` stops early, and keeps only its latency. Throws
  // RunError if a run fails.
  virtual RunOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit,
                         Record record) const = 0;
  // Runs all passes once, without noise, on the machine that the work was prepared for, as `on` describes it.
  // They may run in parallel threads. The outcomes do not depend on the number of threads.
  virtual std::vector<RunOutcome> run_all(const Experiment& on, Record record, unsigned threads) const;
  // Returns what this kind of work adds to the summary of a run (run_outcome.h): by default only the machine.
  virtual OwnSections sections(const Experiment& on, std::span<const RunOutcome> passes) const;
  // Returns the simplest estimate of the pass, as computed by hand (serial_roofline.h), or of all calls of one of its
  // operators. nullopt: it has none.
  virtual std::optional<Duration> by_hand(const Experiment& on, std::size_t pass, double part_of_peak,
                                          std::string_view op) const;
  // Returns the bounds of the pass on that machine.
  virtual Bounds bounds(const Experiment& on, std::size_t pass) const = 0;
  // Returns whether the other work's pass runs alike on every machine.
  virtual bool same(const PreparedWork& other, std::size_t pass) const = 0;
  // Returns the least size of an L2 that holds everything of a rank.
  virtual Bytes footprint() const = 0;
  // Returns the schedules, or null if it has none.
  virtual const Compiled* schedules() const { return nullptr; }
};

// The work that an experiment runs. Commands ask it for what they need. If it lacks something, it returns the
// reason as a sentence, to follow the experiment's name and a colon; otherwise an empty string.
class ExperimentWork {
 public:
  virtual ~ExperimentWork() = default;
  // Compiles schedules or writes programs, with passes in parallel threads. The result does not depend on
  // their number. `cache`, if not null, may have what the last experiment prepared. Throws InputError if the
  // experiment does not allow it.
  virtual std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment, unsigned threads,
                                                      CompileCache* cache = nullptr) const = 0;
  // Calls `visit` for each pass with what is wrong with what would run, and what was checked.
  using FindingsVisitor = std::function<void(const std::string& pass, const Findings& findings)>;
  virtual void check(const Experiment& experiment, const FindingsVisitor& visit) const = 0;

  // Returns how it is executed, as results name it: "static", "streams".
  virtual std::string execution(const Experiment& experiment) const;
  // Returns what distinguishes it from others of its kind in a table: the name of its order, or of its
  // method.
  virtual std::string label(const Experiment& experiment) const;

  // Returns the time and the memory that a run is foreseen to take. The default is nothing: not worth a word.
  // `recorded` says that the run keeps its trace.
  virtual RunEstimate estimate(const Experiment& experiment, bool recorded) const;

  // Returns the names of metrics (metric.h) that only sample() gives.
  virtual std::vector<std::string> sampled_metrics() const { return {}; }
  // Returns whether metrics of passes (latency, bytes, the critical path) describe the work: false if it is
  // measured by its samples alone.
  virtual bool measured_by_pass() const { return true; }
  // Returns whether a run's page tells what all passes have in common; false: its own sections tell all, and that is for
  // programs alone.
  virtual bool tells_passes() const { return true; }
  // Returns the number of seeds with which it is sampled.
  virtual std::uint32_t seeds() const { return 1; }
  // Runs the work as often as it is sampled with one seed, counted from 0.
  virtual std::vector<SampledMetric> sample(const Experiment& experiment, std::uint32_t seed) const;
  // Returns whether experiments that differ in this key alone share what takes longest to simulate. Sweeps
  // run such points one after another.
  virtual bool shares_runs(std::string_view key) const;

  // Returns why a pass has no schedules that can be compiled, shown and put into another order; empty if it
  // has.
  virtual std::string why_no_schedules() const { return {}; }
  // Returns why there is no run of schedules under the experiment's own routing; empty if there is.
  virtual std::string why_no_schedule_run() const { return why_no_schedules(); }
  // Returns why there are no programs of kernels on streams; empty if there are.
  virtual std::string why_no_programs() const {
    return "experiment.execution is not streams: 'a3sim run' runs it";
  }
  // Returns why the steps of a job cannot be simulated; empty if they can.
  virtual std::string why_no_steps() const { return {}; }

  // Returns how micro-batches follow one another, or null if there are none.
  virtual const MicroBatchOptions* micro_batches() const { return nullptr; }
};

// A kind of work that experiments can have. Each is one file in works/, registered by its name.
struct WorkType {
  static constexpr std::string_view kKind = "kind of work";
  // Returns whether the block `experiment` asks for it. Exactly one kind takes an experiment; `taskflow`
  // takes those that no other kind does.
  bool (*takes)(const Config& experiment);
  // Reads its own keys and the experiment's run options. Called after the hardware has been read.
  std::shared_ptr<const ExperimentWork> (*read)(const Config& root, Experiment& experiment);
};
using WorkTypes = Registry<WorkType>;

// Reads the work of an experiment.
std::shared_ptr<const ExperimentWork> read_work(const Config& root, Experiment& experiment);

// Returns the work that runs the experiment's schedules once.
std::shared_ptr<const ExperimentWork> taskflow_work();
// Returns schedules as prepared work.
std::shared_ptr<const PreparedWork> prepared_schedules(Compiled compiled);

}  // namespace a3sim
