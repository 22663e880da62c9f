#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "scheduler/verify/verify.h"
#include "sim/cli/data_check.h"
#include "sim/cli/run_progress.h"
#include "sim/core/machine_memory.h"
#include "sim/experiment/config/stated_numbers.h"
#include "sim/experiment/run/schedule_check.h"

namespace a3sim {
namespace {

std::optional<Experiment> experiment_beside(const std::string& schedules) {
  const std::filesystem::path file = configuration_beside(schedules);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  return load_experiment(file, {});
}

// Checks that the machine of the configuration beside the schedules, if there is one, has their workers,
// because 'a3sim run --ssc' refuses them otherwise. Returns what is wrong: a line that begins with the pass.
std::string missing_workers(const NamedSchedule& named, const std::optional<Experiment>& experiment) {
  const WorkerKinds& needed = named.schedule.front().kinds();
  if (!experiment || needed == experiment->workers) return {};
  return fmt::format("{}: the schedules are for {}, and the configuration beside them has {}\n", named.name,
                     needed.text(), experiment->workers.text());
}

struct CheckOptions {
  ScheduleOption schedules;
  DataCheckOptions data;
  JsonOption json;
};

// Checks schedules by the verifier, without data.
void check_schedules(const ScheduleOption& schedules, Checked& checked) {
  keep_freed_memory();  // from rank to rank, and from pass to pass
  const auto take = [&](const std::string& name, const Findings& findings, const std::string& more = "") {
    Report part;
    part.fact("pass", name);
    std::string text = name + ":\n";
    Table& notes = part.table("notes", {Column::data("note")}, Audience::kPrograms);
    for (const std::string& note : findings.notes) {
      notes.add({note});
      text += fmt::format("  {}\n", note);
    }
    checked.add("passes", std::move(part.say(text)), more + faults_text(name, findings.errors));
  };
  if (schedules.compiled()) {
    const std::optional<Experiment> beside = experiment_beside(schedules.arguments.front());
    schedules.each([&](const NamedSchedule& named) {
      take(named.name, beside ? check_schedule(*beside, named.schedule) : verify(named.schedule),
           missing_workers(named, beside));
    });
    return;
  }
  const Experiment experiment = schedules.experiment();
  refuse_beyond_memory(experiment);
  name_stated_numbers(experiment, [&] {
    experiment.work->check(experiment,
                           [&](const std::string& name, const Findings& findings) { take(name, findings); });
  });
}

void check(const CheckOptions& options) {
  Checked checked(options.json);
  if (options.data.data)
    options.data.check(options.schedules, checked);
  else
    check_schedules(options.schedules, checked);
  checked.end();
}

void add_check_options(CLI::App& app, CheckOptions& options) {
  options.schedules.add_to(app);
  options.data.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "check",
               "Check schedules: thresholds, rows, deadlock, ring order; results, on real tensors",
               Command(CommandGroup::kPrototype, add_check_options, check));

}  // namespace
}  // namespace a3sim
