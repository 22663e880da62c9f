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

// A job of many steps: its configuration, its hosts, and what is wrong.
struct JobSpec {
  std::filesystem::path file;
  std::vector<std::string> sets;
  Experiment experiment;
  HostOptions hosts;
  Injection injection;
};

// Reads a configuration with its blocks `hosts`, `noise` and `faults`; `inject`, if not empty, is a file with more of
// the last two. Throws InputError with everything that is wrong.
JobSpec load_job(const std::filesystem::path& file, const std::vector<std::string>& sets,
                 const std::filesystem::path& inject);

// A step that was simulated. Dates are since the start of the job.
struct JobStep {
  struct Pass {
    PassRun run;
    KernelBegins begins;  // where kernels are launched one by one
    Duration release{};   // all ranks are through with it
    RunResult result;     // with tasks' records if they were asked for
  };
  std::uint32_t number = 0;
  std::shared_ptr<const StepConditions> conditions;
  std::vector<Pass> passes;
  std::vector<LightRecord> light;  // in the order of ranks and passes
  std::vector<HostRecord> host;
};

// The step's tasks, where they were not recorded: it is run again.
void record_tasks(JobStep& step);

// Steps one after the other: hosts launch, devices run each pass as they can, and all ranks meet behind it.
class Job {
 public:
  // The spec must outlive it. Compiles.
  Job(const JobSpec& spec, unsigned threads);

  const StepVariant& variant() const { return *variants_.begin()->second; }  // without faults

  // Simulates the steps from 0 on, `count` of them, and gives each to `take`. With `record` each has its tasks.
  // `recorded`, asked before each step: the ranks that are recorded in full, which may take time; with `record` all.
  // The same steps whatever the number of threads. Throws as run_schedule() does.
  using Take = std::function<void(JobStep&& step)>;
  using Recorded = std::function<std::span<const std::uint32_t>(std::uint32_t step)>;
  void run(std::uint32_t count, bool record, const Take& take, const Recorded& recorded = {});
  // One step without noise and faults.
  JobStep reference();

 private:
  using Key = std::vector<std::pair<std::string, std::string>>;
  // A pass that was run before its step's turn came, as if no host were late.
  struct Foreseen {
    PassRun run;
    KernelBegins begins;
    RunResult result;
    bool there = false;
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
  bool clean_ = false;  // no faults, no noise
  std::map<Key, std::unique_ptr<StepVariant>> variants_;
  std::map<std::uint32_t, std::shared_ptr<const StepConditions>> conditions_;
  std::vector<std::uint32_t> all_;  // ranks
  std::vector<Host> hosts_;
  Duration ready_{};  // all devices
};

}  // namespace a3sim
