#include "sim/sweep/results/step_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace a3sim {
namespace {

constexpr std::pair<std::string_view, bool> kMetricsOfTime[] = {
    {"latency", false}, {"tokens", true}, {"mfu", true}};

// Takes the next line off a text.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Returns the first of these metrics that the pass has: a step takes less time where more tokens pass in a second.
std::optional<Objective> objective_of_time(const SweepResults& sweep, const std::string& pass) {
  for (const auto& [name, larger] : kMetricsOfTime) {
    const auto same = [&](const ResultMetric& metric) { return metric.pass == pass && metric.name == name; };
    const auto found = std::ranges::find_if(sweep.metrics, same);
    if (found != sweep.metrics.end()) return Objective{&*found, larger};
  }
  return std::nullopt;
}

}  // namespace

StepLines step_lines(std::string_view config) {
  constexpr std::string_view kWorkload = "  workload: training_step";
  constexpr std::string_view kSections[] = {"experiment", "model", "parallel", "step"};
  StepLines lines;
  std::string section, key;  // "step", "step.optimizer"
  bool step = false, wanted = false;
  while (!config.empty()) {
    const std::string_view line = next_line(config);
    const std::size_t indent = line.find_first_not_of(' '), colon = line.find(':');
    if (indent == 0) {
      key = section = line.substr(0, colon);
      wanted = std::ranges::count(kSections, section) > 0;
    }
    if (!wanted) continue;
    if (indent == 2 && colon != std::string_view::npos)
      key = fmt::format("{}.{}", section, line.substr(2, colon - 2));
    step |= section == "experiment" && line == kWorkload;
    std::string* const to = is_layout_key(key) ? &lines.layout : is_work_key(key) ? &lines.work : nullptr;
    if (to) to->append(line).push_back('\n');
  }
  return step ? lines : StepLines{};
}

bool follows_time(std::string_view metric) {
  return std::ranges::any_of(kMetricsOfTime, [&](const auto& known) { return metric == known.first; });
}

std::optional<LayoutLead> lead_of_best(const SweepResults& sweep, const std::string& pass,
                                       const std::string& per) {
  const std::optional<Objective> objective = objective_of_time(sweep, pass);
  if (!objective) return std::nullopt;
  const std::vector<std::size_t> points = best_points(sweep, *objective, sweep.points.size());
  if (points.empty() || sweep.points[points.front()].layout == 0) return std::nullopt;
  const ResultPoint& best = sweep.points[points.front()];
  const auto second = std::ranges::find_if(points, [&](std::size_t p) {
    const ResultPoint& point = sweep.points[p];
    if (!per.empty() && point.levels[sweep.axis(per)] == best.levels[sweep.axis(per)]) return false;
    return point.layout != best.layout && point.work == best.work;
  });
  if (second == points.end()) return std::nullopt;
  double times[] = {objective->metric->values[points.front()], objective->metric->values[*second]};
  if (objective->larger) std::swap(times[0], times[1]);
  return layout_lead("the best layout",
                     per.empty() ? "the next best one" : fmt::format("the best one with another {}", per),
                     times[0], times[1]);
}

}  // namespace a3sim
