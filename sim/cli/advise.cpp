#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/threads_option.h"
#include "sim/experiment/configs_folder.h"
#include "sim/study/score/prove.h"
#include "traces/records/file_observation.h"
#include "traces/rules/advice.h"
#include "traces/rules/advice_report.h"
#include "traces/rules/rule.h"

namespace a3sim {
namespace {

struct AdviseOptions {
  std::string directory;
  bool json = false, prove = false;
  ThreadsOption threads;
};

std::string advise_help() {
  std::string text =
      "Which steps are slow, because of which rank, link or operator, why, and what fixing that would gain. "
      "A "
      "cause is\n"
      "what covers most of the lag at equal work; what costs less than 1 % of a step is 'info'. Where "
      "nothing "
      "explains\n"
      "a slowdown it says so, and what record is missing. Thresholds, with sources, stand in "
      "configs/advice/CAUSE.yaml.\n"
      "Causes:\n";
  for (const auto& [name, item] : CauseRules::all())
    text += fmt::format("  {:<18} {}\n", name, item.description);
  return text +
         "Examples:\n"
         "  a3sim monitor configs/experiments/ep8.yaml --inject configs/faults/clock.yaml --steps 60 -o job\n"
         "  a3sim advise job                what is slow, and why\n"
         "  a3sim advise job --json         the same for programs\n"
         "  a3sim advise job --prove        what the remedies gain, by simulating the job again with each\n";
}

void run(const AdviseOptions& options) {
  // What it reads is checked as it is read; nothing else has to be there, not even what was injected.
  if (kind_of_result(options.directory) != "monitor") check_result(options.directory, "monitor");
  const FileObservation observation(options.directory);
  Advice advice = advise(observation, read_rules(configs_folder() / "advice"));
  if (options.prove) prove(options.directory, observation, advice, options.threads.count);
  const std::string text = options.json ? advice_json(advice).dump(1) + "\n" : advice_text(advice);
  std::fputs(text.c_str(), stdout);
}

class AdviseCommand final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<AdviseOptions>();
    app.add_option("RESULT", options->directory, "what 'a3sim monitor -o' wrote")->required();
    app.add_flag("--json", options->json, "for programs");
    app.add_flag("--prove", options->prove, "run the job again with each remedy in place: its gain");
    options->threads.add_to(app);
    app.footer(advise_help());
    app.callback([options] { run(*options); });
  }
};

A3SIM_REGISTER(Command, "advise", "What slows a job down, where, and what to do about it", AdviseCommand);

}  // namespace
}  // namespace a3sim
