#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/input_kinds.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/profile_input.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/run_first.h"
#include "sim/core/error.h"
#include "sim/result/analysed_run.h"
#include "sim/result/cable_report.h"
#include "sim/result/saved_run.h"
#include "sim/search/search_problem.h"
#include "sim/search/space.h"
#include "traces/import/profile_report.h"

namespace a3sim {
namespace {

struct ExplainOptions {
  std::vector<std::string> results;
  std::string result, pass;  // the result, the pass
  std::vector<std::string> set;
  std::optional<std::uint32_t> rank;
  ThreadsOption threads;
  JsonOption json;
};

void explain_profile(const ExplainOptions& options, const Profile& profile) {
  if (!options.pass.empty()) throw InputError("--pass: a profile has no passes");
  if (options.rank && !profile.ranks.contains(*options.rank))
    throw InputError(fmt::format("--rank: the profile has no rank {}", *options.rank));
  print_report(profile_report(profile, options.rank.value_or(kNone)), options.json);
}

// True if 'a3sim search' takes the configuration.
bool has_search(const std::filesystem::path& configuration) {
  try {
    const Experiment experiment = load_experiment(configuration, {});
    return why_not_searched(experiment, read_space(default_space(experiment))).empty();
  } catch (const InputError&) {
    return false;
  }
}

// Returns the commands to go on with: where another order may gain, the search; all parts of the machine; the page.
std::string next_steps(const ExplainOptions& options, const AnalysedRun& known, bool was_run) {
  constexpr double kWorthASearch = 0.01;
  std::string config = was_run ? options.result : known.run->configuration().string();
  std::string result = options.result;
  for (const std::string& value : options.set) {
    config += fmt::format(" --set '{}'", value);
    result += fmt::format(" --set '{}'", value);
  }
  const bool knows_configuration = std::filesystem::is_regular_file(known.run->configuration());
  std::vector<std::string> commands;
  const bool room = std::ranges::any_of(
      known.passes, [](const AnalysedPass& pass) { return pass.verdict.room() >= kWorthASearch; });
  if (knows_configuration && known.traced()) {
    if (room && has_search(known.run->configuration()))
      commands.push_back(fmt::format(
          "a3sim search {} --objective one    # orders or settings that gain some of the room", config));
    commands.push_back(
        fmt::format("a3sim explain {} --whatif    # the gain of every part of the machine", config));
  }
  commands.push_back(fmt::format("a3sim export {} -o run.html    # the same as a page", result));
  return next_commands(commands);
}

void explain_run(const ExplainOptions& asked) {
  if (asked.results.size() > 1)
    throw InputError(
        fmt::format("explain: {} results, expected one; why two differ is what 'a3sim compare {} {}' says",
                    asked.results.size(), asked.results[0], asked.results[1]));
  ExplainOptions options = asked;
  options.result = asked.results.front();
  const GivenResult given(options.result, options.set, options.threads.count);
  check_set(options.set, given.was_run());
  if (is_profile(given.directory())) return explain_profile(options, profile_at(given.directory()));
  check_result(given.directory(), "run");
  const SavedRun run = read_run(given.directory(), options.pass, Tasks::kIfThere);
  Report report;
  report.fact("schema_version", 1).fact("name", run.name);
  for (const TracedPass& pass : run.passes) {
    const std::size_t ranks = pass.trace.ranks.size();
    if (options.rank && *options.rank >= ranks)
      throw InputError(fmt::format("--rank: {}, expected below {}", *options.rank, ranks));
  }
  const AnalysedRun known = analyse(run, run.name, options.threads.count);
  for (std::size_t p = 0; p < run.passes.size(); ++p)
    report.part("passes", told_pass(known, p, options.rank.value_or(kNone)));
  for (std::size_t p = 0; p < run.passes.size(); ++p) {
    const std::string full = full_cable(run.passes[p].name, run.passes[p].trace.makespan, run.cables[p]);
    if (!full.empty()) report.say(full, "cables");
  }
  if (!run.sums.empty())
    report.say(fmt::format("Critical path, blame, communication and roofline follow from tasks: {}.\n",
                           how_to_trace(given.directory())),
               "missing");
  report.say(next_steps(options, known, given.was_run()), "next");
  print_report(report, options.json);
}

void add_explain_options(CLI::App& app, ExplainOptions& options) {
  app.add_option("RESULT", options.results,
                 "an experiment, which is run first; or what 'a3sim run CONFIG --trace -o' or 'a3sim import "
                 "PROFILE -o' wrote; or a profile as it lies")
      ->type_name("")
      ->required();
  add_set(app, options.set);
  app.add_option("--pass", options.pass, "only this pass: forward, backward, …");
  app.add_option("--rank", options.rank,
                 "the rank whose workers and communication are shown (default: all together)");
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "explain", "Where a run's time went: workers, critical path, communication",
               Command(CommandGroup::kUnderstand, add_explain_options, explain_run));

}  // namespace
}  // namespace a3sim
