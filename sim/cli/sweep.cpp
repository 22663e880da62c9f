#include "sim/sweep/sweep.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/sweep_script.h"
#include "sim/core/config/quantity.h"
#include "sim/core/error.h"
#include "sim/core/progress.h"
#include "sim/sweep/results/effects_report.h"
#include "sim/sweep/results/page_view.h"

namespace a3sim {
namespace {

// Restricts the run to its shard, with its own database. The shard is the one given, or else that of the job's
// environment, which is reported on stderr.
void choose_shard(const std::string& shard, SweepOptions& options) {
  if (!shard.empty()) {
    options.shard = parse_shard(shard);
  } else if (const std::optional<JobPlace> place = job_place(environment_variable)) {
    options.shard = place->shard;
    spdlog::warn("{}: computes shard {}/{} of the points", place->told_by, options.shard.index,
                 options.shard.count);
  }
  options.database = shard_file(options.database, options.shard);
}

struct SweepCommandOptions {
  std::string file, database, shard, time_limit = "3600 s", memory_limit;
  std::vector<std::string> set;
  ScriptOfSweep from;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool dry_run = false, retry_failed = false;
  std::optional<std::size_t> best;
  JsonOption json;
};

// Returns a duration such as "2 h 5 min" or "41 s".
std::string in_words(double seconds) {
  const std::int64_t whole = std::llround(seconds);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

double seconds_of(const std::string& text) {
  const Parsed<std::int64_t> time = parse_quantity(text, QuantityKind::kDuration);
  if (!time.error.empty() || time.value == 0)
    throw InputError(fmt::format("--time-limit: '{}', expected a time like '600 s'", text));
  return seconds(Duration(time.value));
}

std::uint64_t bytes_of(const std::string& text) {
  if (text.empty()) return 0;
  const Parsed<std::int64_t> bytes = parse_quantity(text, QuantityKind::kBytes);
  if (!bytes.error.empty() || bytes.value == 0)
    throw InputError(fmt::format("--memory-limit: '{}', expected a size like '4 GiB'", text));
  return static_cast<std::uint64_t>(bytes.value);
}

Report plan_report(const SweepPlan& plan, const SweepOptions& options) {
  const SweepEstimate estimate = estimate_sweep(plan, options);
  const std::size_t positions = plan.positions.size();
  Report report;
  report.fact("sweep", plan.spec.name)
      .fact("points", whole(estimate.points))
      .fact("positions", whole(positions));
  report.fact("known", whole(estimate.known)).fact("seconds", estimate.seconds);
  report.fact("memory_bytes", estimate.memory);
  std::string text = fmt::format("{}: {} points", plan.spec.name, estimate.points);
  if (positions != estimate.points) text += fmt::format(" at {} positions", positions);
  if (!options.database.empty()) text += fmt::format(", {} in {}", estimate.known, options.database.string());
  text += fmt::format(", {} to compute\n", estimate.points - estimate.known);
  constexpr std::size_t kShown = 3;
  for (std::size_t p = 0; p < positions; ++p) {
    if (p == kShown && positions > 2 * kShown) {
      text += "  ...\n";
      p = positions - kShown;
    }
    text += fmt::format("  {}: {}\n", p, describe(plan.spec, plan.positions[p]));
  }
  if (estimate.points != estimate.known)
    text += fmt::format(
        "about {} on {} processes, {:.2g} GB in all: after {} points {}\n", in_words(estimate.seconds),
        options.jobs, static_cast<double>(estimate.memory) * 1e-9, estimate.measured,
        estimate.from_database ? "of this sweep that the database has" : "that were run just now");
  return std::move(report.say(text));
}

Report outcome_report(const SweepPlan& plan, const SweepOutcome& outcome, const std::string& database) {
  Report report;
  report.fact("sweep", plan.spec.name).fact("database", database).fact("points", whole(outcome.points));
  report.fact("computed", whole(outcome.done + outcome.failed)).fact("known", whole(outcome.known));
  report.fact("left_out", whole(outcome.left_out));
  Table& failures =
      report.table("failures", {Column::data("point"), Column::data("error")}, Audience::kPrograms);
  for (const SweepOutcome::Failure& failure : outcome.failures) failures.add({failure.where, failure.error});
  std::string counts = fmt::format("{} computed, {} known before, {} failed", outcome.done + outcome.failed,
                                   outcome.known, outcome.failures.size());
  if (outcome.left_out > 0)
    counts += fmt::format(", {} cannot be among the {} best (--best 0 computes them, too)", outcome.left_out,
                          plan.spec.best);
  report.say(fmt::format("{}: {} points: {}; in {}\n", plan.spec.name, outcome.points, counts, database));
  return report;
}

// Adds which axis matters most of the points that are done.
void add_axes(const SweepPlan& plan, const std::filesystem::path& database, Report& report) {
  const SweepResults results = choose_sweep(read_results(database), plan.spec.name);
  if (results.count(PointStatus::kDone) == 0) return;
  const std::string pass = first_pass(results);
  add_effects(results, pass, first_metric(results, pass), report.part("effects"));
}

void print_refused(const SweepPlan& plan) {
  for (const auto& [key, refusal] : plan.refused)
    fmt::print(stderr, "left out: {} positions, for {}: {}\n", refusal.positions, key, refusal.why);
  std::size_t all = plan.positions.size();
  for (const auto& [key, refusal] : plan.refused) all += refusal.positions;
  if (!plan.refused.empty())
    fmt::print(stderr, "{} of {} positions are left out, {} remain\n", all - plan.positions.size(), all,
               plan.positions.size());
}

// Prints each error once, with the first point that has failed so.
void print_failures(const SweepOutcome& outcome) {
  constexpr std::size_t kShown = 10;
  std::vector<std::pair<const SweepOutcome::Failure*, std::size_t>> errors;
  for (const SweepOutcome::Failure& failure : outcome.failures) {
    const auto known =
        std::ranges::find_if(errors, [&](const auto& one) { return one.first->error == failure.error; });
    if (known == errors.end())
      errors.emplace_back(&failure, std::size_t{1});
    else
      ++known->second;
  }
  for (std::size_t e = 0; e < std::min(kShown, errors.size()); ++e) {
    const auto& [first, count] = errors[e];
    fmt::print(stderr, "failed: {}{}: {}\n", first->where,
               count > 1 ? fmt::format(", and {} more", count - 1) : "", first->error);
  }
  if (errors.size() > kShown) fmt::print(stderr, "... and {} other errors\n", errors.size() - kShown);
}

void sweep(const SweepCommandOptions& options) {
  if (options.database.empty() && !options.dry_run)
    throw InputError("--db: missing, expected the file that takes the points, as in --db points.db");
  SweepOptions running;
  running.database = options.database;
  running.jobs = options.jobs;
  running.retry_failed = options.retry_failed;
  running.limits = {seconds_of(options.time_limit), bytes_of(options.memory_limit)};
  choose_shard(options.shard, running);
  SweepSpec spec = read_sweep(options.file, options.set);
  if (options.best) {
    spec.best = *options.best;
    spec.text += fmt::format("# --best {}\n", spec.best);
  }
  if (!options.from.script.empty()) take_script(options.from, spec);
  const SweepPlan plan = plan_sweep(std::move(spec), options.jobs);
  print_refused(plan);
  if (options.dry_run) return print_report(plan_report(plan, running), options.json);
  SweepOutcome outcome;
  {
    Progress line("points");
    running.progress = [&](const SweepProgress& progress) {
      line.expect(progress.wanted);
      line.reach(progress.done + progress.failed,
                 progress.failed > 0 ? fmt::format("{} failed", progress.failed) : "");
    };
    outcome = run_sweep(plan, running);
  }
  Report report = outcome_report(plan, outcome, running.database.string());
  add_axes(plan, running.database, report);
  print_failures(outcome);
  if (!options.from.script.empty())
    report.say_on(better_layouts(options.from, plan.spec, running.database.string()), "layouts");
  print_report(report, options.json);
  if (!outcome.failures.empty())
    throw Error(ExitCode::kPartly, fmt::format("{} of {} points have failed; --retry-failed tries them again",
                                               outcome.failures.size(), outcome.points));
}

void add_sweep_options(CLI::App& app, SweepCommandOptions& options) {
  take_shipped_too(app.add_option("FILE", options.file, "sweep (YAML), or a shipped one: paper")->required(),
                   "sweeps");
  auto* const script = app.add_option("--script", options.from.script,
                                      "a launch script instead of the sweep's own model and dies: layouts "
                                      "that are faster than the script's, as the "
                                      "arguments to change in it")
                           ->type_name("FILE");
  app.add_option("--hf", options.from.model,
                 "with --script: a model's config.json for the sizes that it leaves out")
      ->type_name("FILE")
      ->needs(script);
  app.add_option("--db", options.database,
                 "database that takes the points; made if it is not there; only --dry-run does without")
      ->type_name("FILE");
  app.add_option(
      "--best", options.best,
      "of training steps: compute only points that may be among so many of the least time; 0: all, "
      "whatever the sweep's file says");
  app.add_option("--jobs", options.jobs, "number of processes (default: one per core of the machine)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--dry-run", options.dry_run,
               "how many points there are, and about how long they take; records nothing");
  app.add_flag("--retry-failed", options.retry_failed, "try points again that have failed before");
  app.add_option("--time-limit", options.time_limit,
                 "the longest time of a point, which fails then (default: 3600 s)")
      ->type_name("TIME");
  app.add_option("--memory-limit", options.memory_limit, "address space of a process (default: unlimited)")
      ->type_name("SIZE");
  repeatable(app.add_option("--set", options.set, "a value of every point: path.to.key=value; repeatable"),
             "KEY=VALUE");
  app.add_option(
         "--shard", options.shard,
         "compute a part of the points only, into a database of its own; without it what Slurm's arrays "
         "and mpirun say in the environment; 0/1 is all")
      ->type_name("I/N");
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "sweep", "Run an experiment at many points, into a database",
               Command(CommandGroup::kSimulate, add_sweep_options, sweep));

}  // namespace
}  // namespace a3sim
