#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/configs_folder.h"
#include "sim/study/summary/run_observation.h"
#include "sim/study/summary/saved_run.h"
#include "traces/analysis/explanation.h"
#include "traces/import/imported.h"
#include "traces/import/measured_report.h"
#include "traces/rules/advice_report.h"

namespace a3sim {
namespace {

constexpr const char* kExplainExamples =
    "Examples:\n"
    "  a3sim run configs/experiments/ep8.yaml --trace -o result   write what is explained\n"
    "  a3sim explain result                                       where the time goes, and what slows it "
    "most\n"
    "  a3sim explain result --pass backward --rank 3              one pass; workers and communication of one "
    "rank\n"
    "  a3sim explain result --json                                everything, with each step of the critical "
    "path\n"
    "Each pass ends with the first finding of the rules that 'a3sim advise result' tells in full.\n"
    "Without --trace a result has sums by operator and rank: their times and waits are told, and no critical "
    "path.\n"
    "  a3sim explain measured                                     a profile that 'a3sim import -o' wrote: "
    "what it says\n"
    "What time is spent on: cube, vector: arithmetic; core: a core's own loads, stores and starts; put: "
    "sending at\n"
    "a worker's rate; L2 read, L2 write, HBM: bandwidth shared with others; L2 misses; link: ports shared "
    "with\n"
    "other puts; hop: a put's latency; poll: until a trigger is seen; scheduling: fetching and handing out "
    "tasks;\n"
    "launch: of kernels; collective: the host's work before one.\n"
    "Workers' time: run, memory: tasks at their own pace, and what they lose; puts: to other ranks; wait: at "
    "a "
    "task\n"
    "whose rows are not there yet; scheduling; idle: before the first task and after the last.\n";

struct ExplainOptions {
  std::string directory, pass;
  std::optional<std::uint32_t> rank;
  JsonOption json;
};

void explain_profile(const ExplainOptions& options) {
  if (!options.pass.empty()) throw InputError("--pass: a profile has no passes");
  check_result(options.directory, "import");
  const Measured profile = read_imported(options.directory);
  if (options.rank && !profile.ranks.contains(*options.rank))
    throw InputError(fmt::format("--rank: the profile has no rank {}", *options.rank));
  print_report(measured_report(profile, options.rank.value_or(kNone)), options.json);
}

// Its page says all; what it is made of stands in result.json.
void show_run_on_streams(const ExplainOptions& options) {
  if (!options.pass.empty() || options.rank)
    throw InputError(
        "--pass, --rank: a run on streams has one page; its tasks are in tasks_*.csv, with --trace");
  check_result(options.directory, kRunOnStreams);
  const std::filesystem::path directory = options.directory;
  print_result(read_file(directory / "summary.txt"),
               nlohmann::ordered_json::parse(read_file(directory / "result.json")), options.json);
}

void explain_run(const ExplainOptions& options) {
  const std::string kind = kind_of_result(options.directory);
  if (kind == "import") return explain_profile(options);
  if (kind == kRunOnStreams) return show_run_on_streams(options);
  check_result(options.directory, "run");
  const SavedRun run = read_run(options.directory, options.pass, Tasks::kIfThere);
  Report report;
  report.fact("schema_version", 1).fact("name", run.name);
  const RuleBook rules = read_rules(configs_folder() / "advice");
  for (std::size_t p = 0; p < run.passes.size(); ++p) {
    const TracedPass& pass = run.passes[p];
    const std::size_t ranks = pass.trace.ranks.size();
    if (options.rank && *options.rank >= ranks)
      throw InputError(fmt::format("--rank: {}, expected below {}", *options.rank, ranks));
    const std::uint32_t rank = options.rank.value_or(kNone);
    report.part("passes", run.sums.empty()
                              ? explanation_report(pass.name, pass.trace, explain(pass.trace), rank,
                                                   first_finding(advise_on_pass(run, p, rules), "pass"))
                              : sums_report(pass.name, pass.trace, run.sums[p], rank));
  }
  if (!run.sums.empty())
    report.say(fmt::format("Critical path, blame, communication and roofline follow from tasks: {}.\n",
                           how_to_trace(options.directory)),
               "missing");
  print_report(report, options.json);
}

class Explain final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<ExplainOptions>();
    app.add_option("RESULT", options->directory,
                   "what 'a3sim run CONFIG --trace -o' or 'a3sim import PROFILE -o' wrote")
        ->required();
    app.add_option("--pass", options->pass, "only this pass: forward, backward, …");
    app.add_option("--rank", options->rank, "whose workers and communication; without it, all together");
    options->json.add_to(app);
    app.footer(kExplainExamples);
    app.callback([options] { explain_run(*options); });
  }
};

A3SIM_REGISTER(Command, "explain", "Where a run's time went: workers, critical path, communication", Explain);

}  // namespace
}  // namespace a3sim
