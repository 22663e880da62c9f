#include "sim/sweep/results/step_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

const ResultMetric* metric_named(const SweepResults& sweep, const std::string& pass, std::string_view name) {
  const auto found = std::ranges::find_if(
      sweep.metrics, [&](const ResultMetric& metric) { return metric.pass == pass && metric.name == name; });
  return found == sweep.metrics.end() ? nullptr : &*found;
}

// Returns the first of these metrics that the pass has: a step takes less time where more tokens pass in a second.
std::optional<Objective> objective_of_time(const SweepResults& sweep, const std::string& pass) {
  for (const auto& [name, larger] : kMetricsOfTime) {
    if (const ResultMetric* const found = metric_named(sweep, pass, name)) return Objective{found, larger};
  }
  return std::nullopt;
}

// Tells whether two steps that do the same work run on as many dies: then a die trains on as many tokens in a step's time. More
// dies take less time in any layout, which is no lead. Steps of which only one of both metrics is known count as alike.
class SameDies {
 public:
  SameDies(const SweepResults& sweep, const std::string& pass)
      : latency_(metric_named(sweep, pass, "latency")), tokens_(metric_named(sweep, pass, "tokens")) {}

  bool operator()(std::size_t a, std::size_t b) const {
    constexpr double kAlike = 1e-3;
    if (!latency_ || !tokens_) return true;
    const auto of_a_die = [&](std::size_t point) { return latency_->values[point] * tokens_->values[point]; };
    return std::abs(of_a_die(a) / of_a_die(b) - 1) < kAlike;
  }

 private:
  const ResultMetric *latency_, *tokens_;
};

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

bool follows_time(const Objective& objective) {
  return std::ranges::any_of(kMetricsOfTime, [&](const auto& known) {
    return objective.metric->name == known.first && objective.larger == known.second;
  });
}

std::optional<LayoutLead> lead_of_best(const SweepResults& sweep, const std::string& pass,
                                       const std::string& per, std::optional<Objective> asked) {
  const std::optional<Objective> objective = asked ? asked : objective_of_time(sweep, pass);
  if (!objective) return std::nullopt;
  const std::vector<std::size_t> points = best_points(sweep, *objective, sweep.points.size());
  if (points.empty() || sweep.points[points.front()].layout == 0) return std::nullopt;
  const ResultPoint& best = sweep.points[points.front()];
  const SameDies same_dies(sweep, pass);
  const auto second = std::ranges::find_if(points, [&](std::size_t p) {
    const ResultPoint& point = sweep.points[p];
    if (!per.empty() && point.levels[sweep.axis(per)] == best.levels[sweep.axis(per)]) return false;
    return point.layout != best.layout && point.work == best.work && same_dies(points.front(), p);
  });
  if (second == points.end()) return std::nullopt;
  double times[] = {objective->metric->values[points.front()], objective->metric->values[*second]};
  if (objective->larger) std::swap(times[0], times[1]);
  return layout_lead("the best layout",
                     per.empty() ? "the next best one" : fmt::format("the best one with another {}", per),
                     times[0], times[1]);
}

}  // namespace a3sim
