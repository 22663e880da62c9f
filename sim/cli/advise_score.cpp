#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/score/isolation.h"
#include "sim/diagnosis/score/score.h"
#include "sim/experiment/configs_folder.h"
#include "traces/import/ascend_files.h"
#include "traces/import/profiled_job.h"

namespace a3sim {
namespace {

struct ScoreOptions {
  std::vector<std::string> directories;
  double least = 0.03;
  bool each = false, without_reference = false, isolate = false;
  ThreadsOption threads;
  JsonOption json;
};

// A job that 'a3sim run --steps' wrote, or the directories that it was exported to.
std::unique_ptr<Observation> observed(const std::string& directory, bool without_reference) {
  if (kind_of_result(directory) != "monitor" && is_ascend_profile(directory))
    return std::make_unique<ProfiledJob>(directory);
  if (kind_of_result(directory) != "monitor") check_result(directory, "monitor");
  auto job = std::make_unique<FileObservation>(directory);
  if (without_reference) job->leave_out_reference();
  return job;
}

void run(const ScoreOptions& options) {
  const RuleBook rules = read_rules(configs_folder() / "advice");
  const std::vector<Answer> answers = read_answers(configs_folder() / "advice/score.yaml");
  std::vector<ScoredJob> jobs;
  Report report;
  Table each({Column::words("job"), Column::words("fault"), Column::percent("slowdown"),
              Column::words("found"), Column::words("place")});
  for (const std::string& directory : options.directories) {
    const std::unique_ptr<Observation> job = observed(directory, options.without_reference);
    if (options.isolate && kind_of_result(directory) == "monitor")
      isolate_faults(directory, options.threads.count);
    jobs.push_back(score(*job, std::filesystem::path(directory) / "truth.json", rules, answers));
    if (options.each)
      for (const ScoredFinding& finding : jobs.back().findings)
        spdlog::warn("{}: {} explains {:.2f}, sure to {:.2f}: {}{}", directory, finding.cause,
                     finding.explains, finding.confidence, finding.right ? "right" : "wrong",
                     finding.healthy ? ", a healthy rank" : "");
    for (const ScoredFault& fault : jobs.back().faults)
      if (options.each)
        each.add(
            {directory, fault.kind, fault.slowdown, fault.found ? "yes" : "no", fault.placed ? "yes" : "no"});
  }
  if (options.each) spdlog::warn("{}", each.text());
  print_report(score_report(jobs, options.least), options.json);
}

void add_score_options(CLI::App& app, ScoreOptions& options) {
  app.add_option("DIR", options.directories,
                 "what 'a3sim run --steps N -o' wrote, or 'a3sim export JOB --to ascend' with the "
                 "job's truth.json beside it; several")
      ->required();
  app.add_option("--least", options.least, "slowdown from which faults count; 0.03 without it")
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--without-reference", options.without_reference, "as if no step without faults were known");
  app.add_flag(
      "--isolate", options.isolate,
      "simulate each job again without each of its faults, to learn what that fault costs beside the "
      "others; kept in DIR/without.json, which later scores use");
  options.threads.add_to(app);
  app.add_flag("--each", options.each, "tell each fault and each finding on stderr, unless --quiet");
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "advise --score", "How often advice names the cause and the place of known faults",
               Command(add_score_options, run));

}  // namespace
}  // namespace a3sim
