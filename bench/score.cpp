// Prints how often advice names the cause and the place of injected faults (bench/score). Arguments: directories that
// 'a3sim run --steps N -o' wrote, or 'a3sim export JOB --to ascend' with the job's truth.json beside it.
//   --without-reference   as if no step without faults were known
//   --isolate             simulates each job again without each of its faults, and keeps their costs in DIR/without.json
//   --each                also prints each fault and each finding, on stderr
#include "bench/score/score.h"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>

#include "bench/score/isolation.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/experiment/config/configs_folder.h"
#include "traces/import/profiled_job.h"

namespace {

using namespace a3sim;

constexpr double kLeast = 0.03;  // slowdown from which faults count

struct ScoreOptions {
  std::vector<std::filesystem::path> directories;
  bool each = false, without_reference = false, isolate = false;
};

bool is_recorded(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / "job.json");
}

std::unique_ptr<Observation> observed(const std::filesystem::path& directory, bool without_reference) {
  if (!is_recorded(directory)) return std::make_unique<ProfiledJob>(directory.string());
  auto job = std::make_unique<FileObservation>(directory);
  if (without_reference) job->leave_out_reference();
  return job;
}

void print_each(const std::string& directory, const ScoredJob& job) {
  for (const ScoredFault& fault : job.faults)
    fmt::print(stderr, "{}: {} costs {:.1f} %: {}\n", directory, fault.kind, 100 * fault.slowdown,
               !fault.found    ? "missed"
               : !fault.placed ? "found, at another place"
                               : "found");
  for (const ScoredFinding& finding : job.findings)
    fmt::print(stderr, "{}: {} explains {:.2f}, sure to {:.2f}: {}{}\n", directory, finding.cause,
               finding.explains, finding.confidence, finding.right ? "right" : "wrong",
               finding.healthy ? ", a healthy rank" : "");
}

void score_all(const ScoreOptions& options) {
  const RuleBook rules = read_rules(configs_folder() / "advice");
  const std::vector<Answer> answers =
      read_answers(std::filesystem::path(A3SIM_SOURCE_DIR) / "bench/score/answers.yaml");
  std::vector<ScoredJob> jobs;
  for (const std::filesystem::path& directory : options.directories) {
    const std::unique_ptr<Observation> job = observed(directory, options.without_reference);
    if (options.isolate && is_recorded(directory)) isolate_faults(directory, 1);
    jobs.push_back(score(*job, directory / "truth.json", rules, answers));
    if (options.each) print_each(directory.string(), jobs.back());
  }
  fmt::print("{}", score_report(jobs, kLeast).text());
}

}  // namespace

int main(int count, char** arguments) {
  ScoreOptions options;
  for (int a = 1; a < count; ++a) {
    const std::string_view argument = arguments[a];
    if (argument == "--each") {
      options.each = true;
    } else if (argument == "--without-reference") {
      options.without_reference = true;
    } else if (argument == "--isolate") {
      options.isolate = true;
    } else {
      options.directories.emplace_back(argument);
    }
  }
  try {
    score_all(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
