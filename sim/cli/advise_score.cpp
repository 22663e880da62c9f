#include <spdlog/spdlog.h>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/diagnosis/score/score.h"
#include "sim/experiment/configs_folder.h"

namespace a3sim {
namespace {

struct ScoreOptions {
  std::vector<std::string> directories;
  double least = 0.03;
  bool each = false;
  JsonOption json;
};

void run(const ScoreOptions& options) {
  const RuleBook rules = read_rules(configs_folder() / "advice");
  const std::vector<Answer> answers = read_answers(configs_folder() / "advice/score.yaml");
  std::vector<ScoredJob> jobs;
  Report report;
  Table each({Column::words("job"), Column::words("fault"), Column::percent("slowdown"),
              Column::words("found"), Column::words("place")});
  for (const std::string& directory : options.directories) {
    if (kind_of_result(directory) != "monitor") check_result(directory, "monitor");
    jobs.push_back(score(directory, rules, answers));
    for (const ScoredFault& fault : jobs.back().faults)
      if (options.each)
        each.add(
            {directory, fault.kind, fault.slowdown, fault.found ? "yes" : "no", fault.placed ? "yes" : "no"});
  }
  if (options.each) spdlog::warn("{}", each.text());
  print_report(score_report(jobs, options.least), options.json);
}

void add_score_options(CLI::App& app, ScoreOptions& options) {
  app.add_option("DIR", options.directories, "what 'a3sim run --steps N -o' wrote; several")->required();
  app.add_option("--least", options.least, "slowdown from which faults count; 0.03 without it")
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--each", options.each, "tell each fault on stderr, unless --quiet");
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "advise --score", "How often advice names the cause and the place of known faults",
               Command(add_score_options, run));

}  // namespace
}  // namespace a3sim
