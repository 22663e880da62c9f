#include "sim/published/case_timelines.h"

#include <fmt/format.h>

#include "sim/result/traced_passes.h"
#include "traces/report/page/run_section.h"

namespace a3sim {
namespace {

// Whether the case has all of these coordinates. The pass is no part of a case.
bool is_drawn(const PublishedCase& one, const nlohmann::ordered_json& where) {
  if (!one.variant.empty()) return false;
  for (const auto& [key, value] : where.items())
    if (key != "pass" && (!one.coordinates.contains(key) || one.coordinates[key] != value)) return false;
  return true;
}

// The words of a case's name that the others' lack.
std::string name_of_case(const PublishedCase& one, const nlohmann::ordered_json& where) {
  std::string name;
  for (const auto& [key, value] : one.coordinates.items()) {
    if (where.contains(key)) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    name += (name.empty() ? "" : ", ") + text;
  }
  return name;
}

}  // namespace

void add_case_timelines(Page& page, const PublishedTable& table, const Scenario& scenario) {
  if (table.timelines.is_null()) return;
  struct DrawnCase {
    std::string name;
    std::vector<TracedPass> passes;
    std::uint32_t experts = 0;
  };
  std::vector<DrawnCase> drawn;
  for (const PublishedCase& one : table.cases) {
    if (!is_drawn(one, table.timelines)) continue;
    const Experiment experiment = scenario.load(table.experiment_of(one), one.overrides);
    DrawnCase& shown = drawn.emplace_back();
    shown.name = name_of_case(one, table.timelines);
    shown.experts = experiment.shape.experts_per_rank;
    shown.passes = traced_passes(experiment, scenario.threads);
    if (table.timelines.contains("pass"))
      std::erase_if(shown.passes,
                    [&](const TracedPass& pass) { return table.timelines["pass"] != pass.name; });
  }
  std::vector<NamedRun> runs;
  for (const DrawnCase& one : drawn) runs.push_back({one.name, one.passes, one.experts});
  add_runs(page, runs);
}

}  // namespace a3sim
