#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/diagnosis/faults/fault.h"
#include "sim/diagnosis/jobs/pass_run.h"
#include "sim/runtime/hosts/host.h"
#include "traces/observation.h"

namespace a3sim {

// A job of many steps: its configuration, its hosts, and its faults.
struct JobSpec {
  std::filesystem::path file;
  std::vector<std::string> sets;
  Experiment experiment;
  StepNames names;
  HostOptions hosts;
  Injection injection;
};

// Reads a configuration with its blocks `hosts`, `noise` and `faults`. `inject`, if not empty, is a file with
// more of the last two. Throws InputError with everything that is wrong.
JobSpec load_job(const std::filesystem::path& file, const std::vector<std::string>& sets,
                 const std::filesystem::path& inject);

// A simulated step. Times count from the start of the job.
struct JobStep {
  struct Pass {
    PassRun run;
    KernelBegins begins;  // if kernels are launched one by one
    Duration release{};   // time at which all ranks have finished the pass
    RanPass ran;          // includes the tasks if requested
  };
  std::uint32_t number = 0;
  std::shared_ptr<const StepConditions> conditions;
  std::vector<Pass> passes;
  std::vector<LightRecord> light;  // ordered by rank and pass
  std::vector<HostRecord> host;
};

// Runs a step again to record its tasks, unless they are recorded already.
void record_tasks(JobStep& step);

// Simulates steps one after another: hosts launch, devices run each pass when they can, and all ranks meet at
// its end.
class Job {
 public:
  // Prepares the experiment. `spec` must outlive the job.
  Job(const JobSpec& spec, unsigned threads);

  // Returns the variant without faults.
  const StepVariant& variant() const { return *variants_.begin()->second; }

  // Simulates steps 0 to count - 1 and passes each to `take`. With `record` each step holds the records of
  // all its tasks. Otherwise `recorded`, called before each step, returns the ranks that will be recorded in
  // full, which may slow them down. Results do not depend on the number of threads. Throws what
  // run_schedule() throws.
  using Take = std::function<void(JobStep&& step)>;
  using Recorded = std::function<std::span<const std::uint32_t>(std::uint32_t step)>;
  void run(std::uint32_t count, bool record, const Take& take, const Recorded& recorded = {});
  // Simulates one step without noise and faults.
  JobStep reference();

 private:
  using Key = std::vector<std::pair<std::string, std::string>>;
  // A pass that was simulated ahead of its step, assuming that no host is late.
  struct Foreseen {
    PassRun run;
    KernelBegins begins;
    RanPass ran;
    bool there = false;  // the pass was simulated
  };

  const StepVariant& variant_of(const StepConditions& conditions);
  std::shared_ptr<const StepConditions> conditions_of(std::uint32_t step);
  PassRun pass_run(std::uint32_t step, std::size_t pass, std::span<const std::uint32_t> recorded);
  void foresee(std::uint32_t first, std::uint32_t count, bool record, std::vector<Foreseen>& foreseen);
  void run_pass_of(JobStep& step, std::size_t pass, bool record, std::span<const std::uint32_t> recorded,
                   Foreseen* foreseen);
  bool launch_as_foreseen(const Foreseen& foreseen);
  void run_by_kernels(JobStep::Pass& pass, bool record, Foreseen* foreseen);
  void run_whole(JobStep::Pass& pass, bool record, Foreseen* foreseen);
  void add_light(JobStep& step, std::size_t pass, const std::vector<Duration>& late) const;
  JobStep run_step(std::uint32_t number, bool record, std::span<const std::uint32_t> recorded,
                   Foreseen* foreseen);
  void start_hosts();

  const JobSpec& spec_;
  unsigned threads_;
  bool clean_ = false;  // it has neither faults nor noise
  std::map<Key, std::unique_ptr<StepVariant>> variants_;
  std::map<std::uint32_t, std::shared_ptr<const StepConditions>> conditions_;
  std::vector<std::uint32_t> all_;  // all ranks
  std::vector<Host> hosts_;
  Duration ready_{};  // time at which all devices are ready
};

}  // namespace a3sim
