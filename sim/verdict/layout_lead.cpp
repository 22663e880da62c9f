#include "sim/verdict/layout_lead.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/core/config/config.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/variation/config_part.h"
#include "sim/variation/machine_part.h"

namespace a3sim {
namespace {

constexpr std::string_view kLayoutOfStep[] = {"step.schedule",
                                              "step.split",
                                              "step.split_weights",
                                              "step.micro_batch",
                                              "step.overlap",
                                              "step.recompute",
                                              "step.fsdp",
                                              "step.zero2",
                                              "step.replicas",
                                              "step.offload",
                                              "step.dp_overlap",
                                              "step.bucket",
                                              "step.cp_exchange",
                                              "step.tp_pipelined",
                                              "step.sequence_parallel",
                                              "step.weights_beside",
                                              "step.recompute_layers",
                                              "step.optimizer"};
constexpr std::string_view kWorkOfStep[] = {"step.sequence", "step.global_batch", "step.documents",
                                            "step.document_lengths"};

bool is_one_of(std::string_view path, const auto& keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return is_below(path, key); });
}

// 1 - the time after the change, over the time before it.
double saved_part(const Config& times) {
  const double before = seconds(times.duration("before", false)),
               after = seconds(times.duration("after", false));
  times.finish();
  return before > 0 ? 1 - after / before : 0;
}

// Returns the number of dies of a step with this resolved configuration: the product of its groups' sizes.
std::uint32_t dies_of_step(const std::filesystem::path& resolved) {
  constexpr std::int64_t kMost = 1 << 20;
  Diagnostics ignored;
  const Config parallel = Config::load(resolved, {}, ignored).map("parallel");
  std::uint64_t dies = 1;
  for (const char* const key : {"tp", "pp", "cp", "dp"})
    dies *= static_cast<std::uint64_t>(parallel.integer(key, 1, kMost, 1));
  return static_cast<std::uint32_t>(dies);
}

}  // namespace

bool is_layout_key(std::string_view path) {
  return is_below(path, "parallel") || is_one_of(path, kLayoutOfStep);
}

bool is_work_key(std::string_view path) { return is_below(path, "model") || is_one_of(path, kWorkOfStep); }

std::vector<LayoutChange> layout_changes() {
  Diagnostics diagnostics;
  const Config root = Config::load(configs_folder() / "reference" / "layouts.yaml", {}, diagnostics);
  std::vector<LayoutChange> changes;
  for (const Config& change : root.maps("changes")) {
    changes.push_back(
        {change.text("what"), saved_part(change.map("published")), saved_part(change.map("predicted"))});
    change.finish();
  }
  root.finish();
  diagnostics.throw_if_any();
  return changes;
}

std::string LayoutLead::text() const {
  std::string text = fmt::format("{} takes {:.1f} % less time than {}", faster, 100 * lead, slower);
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (!same_dies()) {
    const double more = (1 - lead) * dies[0] / dies[1] - 1;
    return text + fmt::format(", on {} dies in place of {}: {:.1f} % {} time summed over the dies.", dies[0],
                              dies[1], 100 * std::abs(more), more < 0 ? "less" : "more");
  }
  text += '.';
  if (changes == 0) return text;
  text += fmt::format(
      " Of {} published changes of layout, one is predicted {:.1f} points off ({}: {:+.1f} % of the time, "
      "predicted {:+.1f} %)",
      changes, 100 * worst.error(), worst.what, -100 * worst.published, -100 * worst.predicted);
  return text + (known() ? ", which is less." : ": which of the two is faster is not known, measure both.");
}

LayoutLead layout_lead(std::string faster, std::string slower, double faster_time, double slower_time) {
  LayoutLead lead{std::move(faster), std::move(slower), 1 - faster_time / slower_time, {}, 0, {}};
  const std::vector<LayoutChange> changes = layout_changes();
  lead.changes = changes.size();
  if (!changes.empty()) lead.worst = *std::ranges::max_element(changes, {}, &LayoutChange::error);
  return lead;
}

std::optional<LayoutLead> layout_lead_between(const std::filesystem::path& a, const std::filesystem::path& b,
                                              const std::array<std::string, 2>& names, Duration time_a,
                                              Duration time_b) {
  const std::vector<ConfigDifference> differences = config_differences(a, b);
  const auto has = [&](auto is_key) {
    return std::ranges::any_of(differences, [&](const ConfigDifference& one) { return is_key(one.path); });
  };
  if (!has(is_layout_key) || has(is_work_key) || time_a == time_b) return std::nullopt;
  const std::size_t faster = time_a < time_b ? 0 : 1;
  LayoutLead lead = layout_lead(names[faster], names[1 - faster], seconds(std::min(time_a, time_b)),
                                seconds(std::max(time_a, time_b)));
  lead.dies = {dies_of_step(faster == 0 ? a : b), dies_of_step(faster == 0 ? b : a)};
  return lead;
}

void add_layout_lead(const LayoutLead& lead, Report& report) {
  report.say(lead.text() + '\n', "layout_lead")
      .fact("lead", lead.lead)
      .fact("layout_error", lead.worst.error());
}

}  // namespace a3sim
