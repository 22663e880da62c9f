#include "sim/cli/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "sim/cli/options.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/stated_numbers.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/compiled.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

bool is_text(const fs::path& path) { return path.string().ends_with(".ssc.txt"); }
bool is_schedule(const fs::path& path) { return path.extension() == ".ssc" || is_text(path); }

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::vector<fs::path> files_of(const fs::path& path) {
  if (!is_folder(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (is_schedule(entry.path())) files.push_back(entry.path());
  }
  if (files.empty()) throw InputError(path.string() + ": holds no schedule (.ssc, .ssc.txt)");
  std::sort(files.begin(), files.end());
  return files;
}

Ssc open_one(const fs::path& path) {
  if (!is_text(path)) return Ssc::open(path);
  return Ssc::from_text(read_file(path), path.string());
}

void check_ranks(const NamedSchedule& named) {
  const std::uint32_t ep = named.schedule.front().shape().ep;
  for (std::uint32_t r = 0; r < named.schedule.size(); ++r) {
    const Ssc& ssc = named.schedule[r];
    if (ssc.shape() != named.schedule.front().shape()) {
      throw InputError(fmt::format("{}: ranks 0 and {} were compiled for different shapes", named.name, r));
    }
    if (index(ssc.rank()) == r) continue;
    throw InputError(
        fmt::format("{}: rank {} is {}", named.name, r, index(ssc.rank()) < r ? "there twice" : "missing"));
  }
  if (named.schedule.size() != ep) {
    throw InputError(
        fmt::format("{}: {} schedules of a group of {} ranks", named.name, named.schedule.size(), ep));
  }
}

}  // namespace

std::vector<NamedSchedule> open_schedules(std::span<const std::string> paths) {
  std::map<std::string, Schedule> by_graph;
  for (const std::string& path : paths) {
    for (const fs::path& file : files_of(path)) {
      const Ssc ssc = open_one(file);
      by_graph[ssc.graph()].push_back(ssc);
    }
  }
  std::vector<NamedSchedule> schedules;
  for (auto& [name, schedule] : by_graph) {
    std::stable_sort(schedule.begin(), schedule.end(),
                     [](const Ssc& a, const Ssc& b) { return index(a.rank()) < index(b.rank()); });
    check_ranks(schedules.emplace_back(NamedSchedule{name, std::move(schedule), {}}));
  }
  return schedules;
}

void ScheduleOption::add_to(CLI::App& app) {
  CLI::Option* const what =
      app.add_option("CONFIG|SSC", arguments,
                     "an experiment (YAML, or a shipped one: ep8), or compiled schedules and directories");
  take_shipped_too(what, "experiments");
  CLI::Option* const hf =
      app.add_option("--hf", model, "a model instead: its HuggingFace config.json ('a3sim run --help')")
          ->type_name("FILE");
  hf->excludes(what);
  app.parse_complete_callback([this] {
    if (!model.empty()) arguments = {model};
    if (arguments.empty())
      throw CLI::ValidationError("CONFIG|SSC", "an experiment, compiled schedules or --hf FILE is required");
  });
  add_set_to(app);
  add_order_to(app);
}

bool ScheduleOption::are_schedules() const {
  return std::ranges::all_of(
      arguments, [](const std::string& argument) { return is_schedule(argument) || is_folder(argument); });
}

bool ScheduleOption::compiled() const {
  const bool schedules = are_schedules();
  if (schedules && any())
    throw InputError("--set and --order go with a configuration, not with compiled schedules");
  if (!schedules && arguments.size() != 1)
    throw InputError("give one configuration, or compiled schedules only");
  return schedules;
}

Experiment ScheduleOption::experiment() const { return OverrideOptions::load(arguments[0]); }

void ScheduleOption::each(const std::function<void(const NamedSchedule&)>& visit) const {
  if (compiled()) {
    for (const NamedSchedule& named : open_schedules(arguments)) visit(named);
    return;
  }
  const Experiment whole = experiment();
  name_stated_numbers(whole, [&] {
    const RoutingCounts capacity = capacity_of(whole, routing_of(whole));
    for (const Pass& pass : whole.passes) {
      visit({pass.name, compile_pass(whole, pass, capacity).schedule,
             propagate_splits(pass.graph, whole.shape, cut_of(whole, pass))});
    }
  });
}

std::vector<NamedSchedule> ScheduleOption::load() const {
  std::vector<NamedSchedule> schedules;
  each([&](const NamedSchedule& named) { schedules.push_back(named); });
  return schedules;
}

}  // namespace a3sim
