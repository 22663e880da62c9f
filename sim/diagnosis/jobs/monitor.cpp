#include "sim/diagnosis/jobs/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "sim/core/error.h"
#include "sim/core/progress.h"
#include "sim/diagnosis/jobs/cable_plan.h"
#include "sim/diagnosis/jobs/full_records.h"
#include "sim/diagnosis/locate/locator.h"
#include "sim/diagnosis/observe/full_csv.h"
#include "sim/diagnosis/observe/job_file.h"
#include "sim/diagnosis/observe/light_file.h"
#include "version.h"

namespace a3sim {
namespace {

Duration first_start(const JobStep& step) {
  return std::ranges::min(step.light, {}, &LightRecord::start).start;
}
Duration end_of(const JobStep& step) { return step.passes.back().release; }

// Collects the records of one job.
class Recorder {
 public:
  Recorder(const JobSpec& spec, const MonitorOptions& options, const AddFile& add)
      : options_(options), add_(add), job_(job_file(spec, options)) {
    header_.ranks = job_.ranks;
    header_.passes = static_cast<std::uint32_t>(job_.passes.size());
    header_.groups = static_cast<std::uint32_t>(job_.groups.size());
    all_.resize(job_.ranks);
    std::iota(all_.begin(), all_.end(), 0U);
  }

  void add_reference(const JobStep& step) {
    header_.steps = 1;
    add_(kReferenceBin, light_file(step.light, header_));
    write(full_records(step, all_, job_.names), std::string(kReferenceFolder));
    summary_.reference = end_of(step) - first_start(step);
    locator_.emplace(options_.limits, job_.ranks, step.light);
  }

  void add_step(JobStep&& step) {
    light_.insert(light_.end(), step.light.begin(), step.light.end());
    if (options_.recording == Recording::kFull) add_full(step, all_);
    if (!wanted().empty()) add_full(step, wanted());
    const StepVerdict& verdict = locator_->add(step.number, step.light);
    if (options_.recording == Recording::kSame && verdict.slow) add_full(step, locator_->of_slow_step());
    summary_.slow += verdict.slow + verdict.before_too;
    const Duration took = end_of(step) - (times_.empty() ? first_start(step) : before_);
    before_ = end_of(step);
    if (took > summary_.longest) {
      summary_.longest = took;
      summary_.longest_step = step.number;
    }
    times_.push_back(took);
  }

  // "12 of 60 steps, the longest 10.902 ms (step 8), 3 slow".
  std::string so_far() const {
    return fmt::format("{} of {} steps, the longest {:.3f} ms (step {}), {} slow", times_.size(),
                       options_.steps, milliseconds(summary_.longest), summary_.longest_step, summary_.slow);
  }

  // Ranks to record in the next step.
  std::span<const std::uint32_t> wanted() const {
    if (options_.recording == Recording::kNext) return locator_->wanted();
    return {};
  }

  MonitorSummary finish() {
    header_.steps = options_.steps;
    add_(kLightBin, light_file(light_, header_));
    job_.steps = options_.steps;
    add_(kJobJson, job_json(job_));
    summary_.steps = options_.steps;
    summary_.ranks = job_.ranks;
    summary_.full = static_cast<std::uint32_t>(job_.full.size());
    summary_.total = std::accumulate(times_.begin(), times_.end(), Duration::zero());
    std::ranges::nth_element(times_, times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 2));
    summary_.median = times_[times_.size() / 2];
    return summary_;
  }

 private:
  static JobFile job_file(const JobSpec& spec, const MonitorOptions& options) {
    const Experiment& experiment = spec.experiment;
    JobFile job;
    job.name = experiment.name;
    job.version = kVersion;
    job.ranks = experiment.shape.ep;
    job.steps = options.steps;
    job.names = spec.names.operators;
    job.passes = spec.names.passes;
    std::vector<std::uint32_t> group(job.ranks);
    std::iota(group.begin(), group.end(), 0U);
    job.groups.push_back(std::move(group));
    const Placement placement = placement_of(experiment.hardware.fabric, dies_of(experiment.run.ranks));
    for (std::uint32_t rank = 0; rank < job.ranks; ++rank) job.nodes.push_back(placement.node(rank));
    job.machine = machine_seen(experiment);
    job.cables = planned_cables(experiment);
    return job;
  }

  void add_full(JobStep& step, std::span<const std::uint32_t> ranks) {
    record_tasks(step);
    write(full_records(step, ranks, job_.names), full_folder(step.number));
    job_.full.push_back({step.number, {ranks.begin(), ranks.end()}});
  }

  void write(const FullStep& full, const std::string& folder) {
    add_(fmt::format("{}/{}", folder, kOperatorsCsv), operators_csv(full, job_.names, job_.passes));
    add_(fmt::format("{}/{}", folder, kTransfersCsv),
         transfers_csv(full, job_.names, job_.passes, job_.machine));
    add_(fmt::format("{}/{}", folder, kHostCsv), host_csv(full));
  }

  const MonitorOptions& options_;
  const AddFile& add_;
  JobFile job_;
  LightHeader header_;
  std::vector<std::uint32_t> all_;
  std::vector<LightRecord> light_;
  std::optional<Locator> locator_;
  std::vector<Duration> times_;
  Duration before_{};
  MonitorSummary summary_;
};

}  // namespace

std::string truth_json(const Injection& injection, std::uint32_t steps) {
  using nlohmann::ordered_json;
  ordered_json faults = ordered_json::array();
  for (const Fault& fault : injection.faults) {
    faults.push_back({{"kind", fault.kind},
                      {"ranks", fault.ranks},
                      {"links", fault.links},
                      {"operators", fault.operators},
                      {"cables", fault.cables},
                      {"steps", {fault.first, std::min(fault.last, steps == 0 ? 0 : steps - 1)}},
                      {"entry", fault.text}});
  }
  const ordered_json truth{{"noise",
                            {{"durations", injection.noise.durations},
                             {"rates", injection.noise.rates},
                             {"seed", injection.noise.seed}}},
                           {"faults", faults}};
  return truth.dump(1) + "\n";
}

MonitorSummary monitor(const JobSpec& spec, const MonitorOptions& options, const AddFile& add) {
  Job job(spec, options.threads);
  Recorder recorder(spec, options, add);
  recorder.add_reference(job.reference());
  Progress progress("steps", options.steps);
  const auto take = [&](JobStep&& step) {
    recorder.add_step(std::move(step));
    progress.step();
  };
  try {
    job.run(options.steps, options.recording == Recording::kFull, take,
            [&](std::uint32_t) { return recorder.wanted(); });
  } catch (const Error& error) {
    if (error.code() != ExitCode::kInterrupted) throw;
    throw Error(ExitCode::kInterrupted, "interrupted: known is " + recorder.so_far());
  }
  const MonitorSummary summary = recorder.finish();
  add("truth.json", truth_json(spec.injection, options.steps));
  return summary;
}

Report monitor_report(const JobSpec& spec, const MonitorSummary& summary) {
  Report report;
  report.fact("name", spec.experiment.name).fact("ranks", summary.ranks).fact("steps", summary.steps);
  report.fact("slow_steps", summary.slow).fact("full_steps", summary.full);
  report.fact("reference_ms", milliseconds(summary.reference))
      .fact("median_ms", milliseconds(summary.median));
  report.fact("longest_ms", milliseconds(summary.longest)).fact("longest_step", summary.longest_step);
  report.fact("total_ms", milliseconds(summary.total));
  report.say(fmt::format("{}: {} steps of {} ranks in {:.3f} ms\n", spec.experiment.name, summary.steps,
                         summary.ranks, milliseconds(summary.total)));
  report.say_on(fmt::format(
      "a step without faults and noise {:.3f} ms, the median one {:.3f} ms, the longest {:.3f} ms "
      "(step {})\n",
      milliseconds(summary.reference), milliseconds(summary.median), milliseconds(summary.longest),
      summary.longest_step));
  report.say_on(fmt::format("{} slow, {} recorded in full\n", summary.slow, summary.full));
  return report;
}

}  // namespace a3sim
