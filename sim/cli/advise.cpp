#include <memory>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/export_html.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/profile_input.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/run_first.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/observe/observed_machine.h"
#include "sim/diagnosis/prove/prove.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "sim/diagnosis/rules/rule.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/result/analysed_run.h"
#include "sim/result/run_observation.h"
#include "traces/import/profiled_job.h"

namespace a3sim {
namespace {

struct AdviseOptions {
  std::string directory, machine, page;
  std::vector<std::string> set;
  bool prove = false;
  ThreadsOption threads;
  JsonOption json;
};

std::unique_ptr<Observation> observed_job(const AdviseOptions& options) {
  auto job = std::make_unique<FileObservation>(options.directory);
  if (options.machine.empty()) return job;
  const ObservedMachine own = job->machine();
  const bool collectives = !own.planes.empty() && own.planes.front().startup == Duration::zero();
  const MachineFile file = read_machine_file(options.machine);
  job->set_machine(observed_machine(file.hardware, file.program ? &*file.program : nullptr,
                                    {own.aic, own.aiv}, collectives));
  return job;
}

std::unique_ptr<Observation> observed_profile(const AdviseOptions& options) {
  if (options.machine.empty()) return std::make_unique<ProfiledJob>(options.directory);
  const MachineFile file = read_machine_file(options.machine);
  return std::make_unique<ProfiledJob>(options.directory, [&](std::uint32_t aic, std::uint32_t aiv) {
    return observed_machine(file.hardware, file.program ? &*file.program : nullptr, {aic, aiv}, true);
  });
}

// Returns the observation of a job's directory. Records of a job are checked while they are read. No other file
// has to exist, not even the injected faults.
std::unique_ptr<Observation> observed(const AdviseOptions& options) {
  if (is_raw_profile(options.directory)) return observed_profile(options);
  check_result(options.directory, "monitor");
  return observed_job(options);
}

// Advises on a simulated run: first what limits each pass, then what the rules find.
void advise_on_run(const AdviseOptions& options) {
  check_result(options.directory, "run");
  const SavedRun saved = read_run(options.directory, "");
  const AnalysedRun known = analyse(saved, saved.name, options.threads.count);
  const RuleBook rules = read_rules(configs_folder() / "advice");
  Advice advice = advise(*observe(saved, options.machine), rules);
  keep_standing_remedies(advice, rules);
  nlohmann::ordered_json json = advice_json(advice);
  std::string text;
  for (const AnalysedPass& pass : known.passes) {
    json["verdicts"].push_back(verdict_text(pass.verdict));
    text += verdict_text(pass.verdict) + '\n';
  }
  print_result(text + '\n' + advice_text(advice), json, options.json);
}

void run(const AdviseOptions& asked) {
  const GivenResult given(asked.directory, asked.set, asked.threads.count);
  check_set(asked.set, given.was_run());
  AdviseOptions options = asked;
  options.directory = given.directory();
  // Written first: what takes the terminal's text may go away after reading it.
  if (!options.page.empty()) write_file_atomically(options.page, report_page({options.directory}));
  if (kind_of_result(options.directory) == "run") {
    if (options.prove)
      throw InputError("--prove: only what 'a3sim run --steps N -o' wrote can be run again with remedies");
    return advise_on_run(options);
  }
  const std::unique_ptr<Observation> observation = observed(options);
  const bool job = kind_of_result(options.directory) == "monitor";
  if (options.prove && !job)
    throw InputError("--prove: only what 'a3sim run --steps N -o' wrote can be run again with remedies");
  Advice advice = advise(*observation, read_rules(configs_folder() / "advice"));
  if (options.prove) prove(options.directory, *observation, advice, options.threads.count);
  print_result(advice_text(advice), advice_json(advice), options.json);
}

void add_advise_options(CLI::App& app, AdviseOptions& options) {
  app.add_option("RESULT", options.directory,
                 "what 'a3sim run --steps N -o' or 'a3sim run --trace -o' wrote; a profile: Ascend's "
                 "directories, PyTorch's "
                 "time lines (Kineto); or an experiment, of which one step is run first")
      ->required();
  add_set(app, options.set);
  take_shipped_too(app.add_option("--machine", options.machine, "a hardware file: what its machine allows")
                       ->type_name("FILE"),
                   "hardware");
  app.add_flag("--prove", options.prove, "run the job again with each remedy in place: its gain");
  app.add_option("-o,--output", options.page,
                 "a page to look at, too: the same that 'a3sim export' makes of it")
      ->type_name("FILE.html")
      ->check([](const std::string& name) {
        return name.ends_with(".html") ? std::string()
                                       : name + ": a page, expected a name that ends in .html";
      });
  options.threads.add_to(app);
  options.json.add_to(app);
  app.footer(help_of("advise", lines_of<CauseRules>(18)));
}

A3SIM_REGISTER(Command, "advise", "What slows a job down, where, and what to do about it",
               Command(CommandGroup::kDiagnose, add_advise_options, run));

}  // namespace
}  // namespace a3sim
