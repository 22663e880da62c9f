#include "sim/study/calibration/measured_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Whether the configuration has a value that this file states.
bool reaches(const fs::path& hardware, const std::string& configuration) {
  Diagnostics diagnostics;
  const auto values = Config::load(configuration, {}, diagnostics).map("hardware").sourced();
  return std::ranges::any_of(values, [&](const SourcedValue& value) {
    return fs::weakly_canonical(value.mark.file) == fs::weakly_canonical(hardware);
  });
}

}  // namespace

PublishedTable measured_table(const ProfiledRun& run,
                              const std::map<std::string, std::string, std::less<>>& names,
                              const fs::path& hardware, const Scenario& scenario) {
  PublishedTable table;
  table.name = run.result.string();
  table.from_profile = true;
  table.experiment = run.configuration;
  table.evaluation = std::string(name_of(run.profile.unit)) + " times";
  const std::vector<Point> points = predict(table, scenario).points;
  if (!reaches(hardware, run.configuration))
    throw InputError(fmt::format("{}: takes no hardware value from {}: what is fitted would change nothing",
                                 run.configuration, hardware.string()));
  std::vector<std::string> unknown;
  const auto add = [&](std::string_view kind, const Names& measured) {
    std::map<std::string, Occurrences> ours;
    for (const auto& [name, of] : measured) {
      const auto mapped = names.find(name);
      ours[mapped == names.end() ? name : mapped->second] += of;
    }
    for (const auto& [name, of] : ours) {
      const nlohmann::ordered_json coordinates{{std::string(kind), name}};
      const auto point = std::ranges::find(points, coordinates, &Point::coordinates);
      if (of.mean() == Duration::zero()) continue;
      if (point == points.end())
        unknown.push_back(name);
      else
        table.references.push_back({.coordinates = coordinates,
                                    .metric = "latency",
                                    .value = seconds(of.mean()),
                                    .hardware = point->hardware,
                                    .source = table.name,
                                    .note = {},
                                    .use = run.use,
                                    .spread = {}});
    }
  };
  add(name_of(run.profile.unit), run.profile.sum(&MeasuredRank::operators));
  add("exchange", run.profile.sum(&MeasuredRank::exchanges));
  if (table.references.empty())
    throw InputError(fmt::format("{}: none of its operators is in {}: --name THEIRS=OURS maps them: {}",
                                 table.name, run.configuration, fmt::join(unknown, ", ")));
  if (!unknown.empty())
    table.notes = fmt::format("{}: measured, and not simulated (--name THEIRS=OURS maps them): {}\n",
                              table.name, fmt::join(unknown, ", "));
  return table;
}

}  // namespace a3sim
