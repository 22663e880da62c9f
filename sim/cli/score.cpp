#include "sim/study/score/score.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/experiment/configs_folder.h"

namespace a3sim {
namespace {

constexpr const char* kScoreExamples =
    "How far to trust 'a3sim advise': its findings on jobs whose faults are known, held against truth.json, "
    "which advice "
    "never\n"
    "opens. Precision: findings that name a cause of a fault in its steps. Recall: faults that were found, "
    "among those "
    "that\n"
    "slow steps by 3 % or more. Place: exactly these ranks, links or operators. Delay: steps from the first "
    "that "
    "the fault\n"
    "makes 3 % longer. Which causes count for a kind of faults stands in configs/advice/score.yaml.\n"
    "Beside it the public thresholds of the vendor's analysis tool, alone, on "
    "the same "
    "records.\n"
    "Examples:\n"
    "  a3sim score job             one job that 'a3sim monitor -o job' wrote\n"
    "  a3sim score grid/*          many of them: bench/fault_grid writes a grid of faults, severities, seeds "
    "and "
    "sizes\n"
    "  a3sim score grid/* --json   for programs\n";

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

class ScoreCommand final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<ScoreOptions>();
    app.add_option("DIR", options->directories, "what 'a3sim monitor -o' wrote; several")->required();
    app.add_option("--least", options->least, "slowdown from which faults count; 0.03 without it")
        ->check(CLI::Range(0.0, 1.0));
    app.add_flag("--each", options->each, "tell each fault on stderr, unless --quiet");
    options->json.add_to(app);
    app.footer(kScoreExamples);
    app.callback([options] { run(*options); });
  }
};

A3SIM_REGISTER(Command, "score", "How often advice names the cause and the place of known faults",
               ScoreCommand);

}  // namespace
}  // namespace a3sim
