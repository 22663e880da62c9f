#include "sim/compare/runs/step_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/compare/runs/counterfactual.h"
#include "sim/compare/runs/run_difference.h"
#include "sim/verdict/difference_verdict.h"
#include "sim/verdict/layout_lead.h"

namespace a3sim {
namespace {

// The figures that the result of a step has.
struct SavedStep {
  nlohmann::json result;
  std::map<std::string, Duration> classes;

  Duration time() const { return Duration(result.at("step_ps").get<std::int64_t>()); }
  double number(const char* key) const { return result.at(key).get<double>(); }
};

std::optional<SavedStep> read_step(const std::filesystem::path& directory) {
  std::ifstream file(directory / "result.json");
  SavedStep step{nlohmann::json::parse(file, nullptr, false), {}};
  if (step.result.is_discarded() || !step.result.contains("step_ps") || !step.result.contains("classes"))
    return std::nullopt;
  for (const nlohmann::json& row : step.result["classes"])
    step.classes[row.at("class").get<std::string>()] = Duration(row.at("mean_ps").get<std::int64_t>());
  return step;
}

// Steps of inference take milliseconds.
struct StepUnit {
  const char* name;
  double scale;  // of seconds
  double of(Duration time) const { return seconds(time) * scale; }
};
StepUnit unit_of(const SavedStep& a, const SavedStep& b) {
  return std::max(seconds(a.time()), seconds(b.time())) < 1 ? StepUnit{"ms", 1e3} : StepUnit{"s", 1};
}

bool of_both(const SavedStep& a, const SavedStep& b, const char* key) {
  return a.result.contains(key) && b.result.contains(key);
}

void add_step_figures(const SavedStep& a, const SavedStep& b, Report& report) {
  Table& table = report.table(
      "", {Column::words("step"), Column::words("A"), Column::words("B"), Column::words("B - A")});
  const auto add = [&](const char* name, double of_a, double of_b, int decimals) {
    table.add({name, fmt::format("{:.{}f}", of_a, decimals), fmt::format("{:.{}f}", of_b, decimals),
               fmt::format("{:+.{}f}", of_b - of_a, decimals)});
  };
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  const StepUnit unit = unit_of(a, b);
  add(fmt::format("time {}", unit.name).c_str(), unit.of(a.time()), unit.of(b.time()), 3);
  const auto decodes = [](const SavedStep& step) { return step.result.value("method", "") == "decode"; };
  if (decodes(a) && decodes(b))
    add("per output token ms", a.number("tpot_ps") * 1e-9, b.number("tpot_ps") * 1e-9, 3);
  add("tokens/s per die", a.number("tokens_per_second_per_die"), b.number("tokens_per_second_per_die"), 0);
  if (of_both(a, b, "mfu")) add("MFU %", 100 * a.number("mfu"), 100 * b.number("mfu"), 1);
  add("fullest die GiB", a.number("peak_memory_bytes") / kGibibyte, b.number("peak_memory_bytes") / kGibibyte,
      1);
}

// A class of a die's time, and how much more of it the second step has.
using ClassDifference = std::pair<std::string, Duration>;

Duration time_in(const SavedStep& step, const std::string& name) {
  const auto found = step.classes.find(name);
  return found == step.classes.end() ? Duration::zero() : found->second;
}

// Returns the differences, the largest first.
std::vector<ClassDifference> class_differences(const SavedStep& a, const SavedStep& b) {
  std::map<std::string, Duration> all = a.classes;
  all.insert(b.classes.begin(), b.classes.end());
  std::vector<ClassDifference> by_size;
  for (const auto& [name, time] : all) by_size.emplace_back(name, time_in(b, name) - time_in(a, name));
  std::ranges::stable_sort(by_size, std::greater(),
                           [](const ClassDifference& row) { return std::abs(row.second.count()); });
  return by_size;
}

void add_class_differences(const SavedStep& a, const SavedStep& b, Report& report) {
  Table& table =
      report.table("classes", {Column::words("time of a die, mean of stages", "class"),
                               Column::milliseconds("A ms", "a_ps"), Column::milliseconds("B ms", "b_ps"),
                               Column::milliseconds("B - A", "more_ps")});
  for (const auto& [name, more] : class_differences(a, b))
    table.add({name, time_in(a, name), time_in(b, name), more});
}

void add_key_differences(const std::filesystem::path& a, const std::filesystem::path& b, Report& report) {
  std::string lines;
  Table& table = report.table("differences", {Column::data("key"), Column::data("a"), Column::data("b")},
                              Audience::kPrograms);
  for (const ConfigDifference& difference : config_differences(a / "resolved.yaml", b / "resolved.yaml")) {
    table.add({difference.path, difference.a, difference.b});
    lines += fmt::format("  {}\n", difference_text(difference));
  }
  report.say(lines.empty() ? "Their configurations are equal.\n" : "configurations differ in\n" + lines);
}

// Names the classes that make most of the difference: at most three, each at least a tenth of it.
std::string largest_classes(const SavedStep& a, const SavedStep& b) {
  constexpr std::size_t kMost = 3;
  constexpr std::int64_t kLeast = 10;
  const std::int64_t more = std::abs((b.time() - a.time()).count());
  const StepUnit unit = unit_of(a, b);
  std::string text;
  std::size_t named = 0;
  for (const auto& [name, time] : class_differences(a, b)) {
    if (named == kMost || std::abs(time.count()) * kLeast < more) break;
    text += fmt::format("{}{} {:+.3f} {}", named++ == 0 ? "" : ", ", name, unit.of(time), unit.name);
  }
  return text.empty() ? "small parts of all classes" : text;
}

std::string verdict_of(const SavedStep& a, const SavedStep& b) {
  const Duration longer = b.time() - a.time();
  if (longer == Duration::zero()) return "A and B take the same time.\n";
  const auto apart = static_cast<double>(longer.count());
  DifferenceVerdict verdict{{apart, apart, apart}, seconds(b.time()) / seconds(a.time()) - 1, longer};
  verdict.one_run = true;
  verdict.changed = largest_classes(a, b);
  return verdict_text(verdict) + '\n';
}

}  // namespace

std::optional<Report> step_difference(const std::filesystem::path& a, const std::filesystem::path& b) {
  const std::optional<SavedStep> of_a = read_step(a), of_b = read_step(b);
  if (!of_a || !of_b) return std::nullopt;
  Report report;
  report.fact("a_step_ps", of_a->time()).fact("b_step_ps", of_b->time());
  add_step_figures(*of_a, *of_b, report);
  add_class_differences(*of_a, *of_b, report);
  add_key_differences(a, b, report);
  report.say(verdict_of(*of_a, *of_b), "verdict");
  if (const auto lead = layout_lead_between(a / "resolved.yaml", b / "resolved.yaml", {"A", "B"},
                                            of_a->time(), of_b->time()))
    add_layout_lead(*lead, report);
  return report;
}

}  // namespace a3sim
