#include "sim/published/fit/measurements.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/config/config.h"
#include "sim/core/config/decimal.h"
#include "sim/core/error.h"
#include "sim/experiment/config/overrides.h"
#include "sim/published/evaluation.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNone = "none";
constexpr const char* kMeasured = "measured";  // the source of a point
constexpr const char* kPoint = "point";

// Returns the unit in which a value is written.
std::string unit_of(std::string_view value) {
  value.remove_prefix(leading_decimal(value).size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return std::string(value);
}

PublishedTable table_of(const Config& point, const std::string& name, const fs::path& folder) {
  PublishedTable table;
  table.name = name;
  table.evaluation = "runs";
  table.columns = {kPoint};
  table.experiment = point.text("experiment");
  table.timed_from_kernel = point.choice("timed_from", {"launch", "kernel"}, "launch") == 1;
  PublishedCase& only = table.cases.emplace_back();
  only.coordinates = {{kPoint, name}};
  if (point.has("set")) {
    for (const Override& override : read_overrides(point.map("set"), folder))
      only.overrides.push_back(override.text());
  }
  return table;
}

// Returns true if the measurement was taken.
bool read_measured(const Config& point, PublishedTable& table) {
  Reference reference;
  reference.coordinates = table.cases.front().coordinates;
  reference.metric = point.text("metric");
  const std::string measured = point.text("measured");
  if (measured == kNone) return false;
  const MetricValue parsed = parse_metric(reference.metric, measured);
  if (!parsed.error.empty()) point.error("measured", parsed.error + ", or none where it was not taken");
  reference.value = parsed.value;
  reference.source = kMeasured;
  reference.use = Use::kCalibration;
  table.metrics.push_back({reference.metric, unit_of(measured), {}});
  table.references.push_back(std::move(reference));
  return true;
}

// Returns the name of the file's program; empty without one.
std::string program_in(const fs::path& file) {
  Diagnostics diagnostics;
  return Config::load(file, {}, diagnostics).map("program").text("name", "");
}

// True if the configuration has a value that one of these files states.
bool reaches(std::span<const fs::path> files, const std::string& configuration) {
  Diagnostics diagnostics;
  const auto values = sourced_values(Config::load(configuration, {}, diagnostics));
  return std::ranges::any_of(values, [&](const SourcedValue& value) {
    return std::ranges::any_of(files, [&](const fs::path& file) {
      return fs::weakly_canonical(value.mark.file) == fs::weakly_canonical(file);
    });
  });
}

}  // namespace

bool is_measured(const PublishedTable& table) {
  return table.from_profile ||
         std::ranges::all_of(table.references, [](const auto& point) { return point.source == kMeasured; });
}

PointsFile read_points(const Config& root, const fs::path& folder) {
  PointsFile points;
  std::vector<std::string> names;
  for (const Config& point : root.maps("points")) {
    const std::string name = point.text("name");
    if (std::ranges::find(names, name) != names.end())
      point.error("name", fmt::format("a second point '{}', expected each name once", name));
    names.push_back(name);
    point.text("how", "");
    PublishedTable table = table_of(point, name, folder);
    if (read_measured(point, table))
      points.tables.push_back(std::move(table));
    else
      points.open.push_back(name);
    point.finish();
  }
  root.finish();
  return points;
}

std::vector<std::string> overrides_with(std::span<const fs::path> files, const std::string& experiment,
                                        const Scenario& scenario) {
  const fs::path configs = fs::weakly_canonical(scenario.configs);
  std::vector<std::string> overrides;
  for (const fs::path& part : files) {
    const fs::path file = fs::weakly_canonical(part);
    if (file.parent_path().parent_path() == configs) continue;
    const std::string program = program_in(file);
    if (program.empty() || program == program_in(scenario.file(experiment)))
      overrides.push_back("include=" + file.string());
  }
  return overrides;
}

PointsFile read_points(const fs::path& file, std::span<const fs::path> parts, const Scenario& scenario) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  PointsFile points = read_points(root, fs::absolute(file).parent_path());
  diagnostics.throw_if_any();
  if (points.tables.empty())
    throw InputError(
        fmt::format("{}: no point was measured: 'measured' takes a value with its unit", file.string()));
  for (PublishedTable& table : points.tables) {
    std::vector<std::string>& overrides = table.cases.front().overrides;
    for (std::string& override : overrides_with(parts, table.experiment, scenario))
      overrides.push_back(std::move(override));
    table.references.front().hardware = predict(table, scenario).points.front().hardware;
  }
  return points;
}

PublishedTable measured_table(const ProfiledRun& run,
                              const std::map<std::string, std::string, std::less<>>& names,
                              std::span<const fs::path> files, const Scenario& scenario) {
  PublishedTable table;
  table.name = run.result.string();
  table.from_profile = true;
  table.experiment = run.configuration;
  table.evaluation = "profile";
  table.block = run.profile.unit;
  const std::vector<Point> points = predict(table, scenario).points;
  if (!reaches(files, run.configuration))
    throw InputError(fmt::format("{}: takes no value from {}: what is fitted would change nothing",
                                 run.configuration, files.front().string()));
  std::vector<std::string> unknown;
  const auto add = [&](std::string_view kind, const Names& measured) {
    std::map<std::string, Occurrences> ours;
    for (const auto& [name, durations] : measured) {
      const auto mapped = names.find(name);
      ours[mapped == names.end() ? name : mapped->second] += durations;
    }
    for (const auto& [name, durations] : ours) {
      const nlohmann::ordered_json coordinates{{std::string(kind), name}};
      const auto point = std::ranges::find(points, coordinates, &Point::coordinates);
      if (durations.mean() == Duration::zero()) continue;
      if (point == points.end())
        unknown.push_back(name);
      else
        table.references.push_back({.coordinates = coordinates,
                                    .metric = "latency",
                                    .value = seconds(durations.mean()),
                                    .hardware = point->hardware,
                                    .source = table.name,
                                    .note = {},
                                    .use = run.use,
                                    .spread = {}});
    }
  };
  add(name_of(run.profile.unit), run.profile.sum(&RankProfile::operators));
  add("exchange", run.profile.sum(&RankProfile::exchanges));
  if (table.references.empty())
    throw InputError(fmt::format("{}: none of its operators is in {}: --name THEIRS=OURS maps them: {}",
                                 table.name, run.configuration, fmt::join(unknown, ", ")));
  if (!unknown.empty())
    table.notes = fmt::format("{}: measured, and not simulated (--name THEIRS=OURS maps them): {}\n",
                              table.name, fmt::join(unknown, ", "));
  return table;
}

}  // namespace a3sim
