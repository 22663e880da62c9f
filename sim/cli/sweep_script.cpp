#include "sim/cli/sweep_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

#include "models/blocks/block.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/step/step_sections.h"
#include "sim/experiment/step/training_plan.h"
#include "sim/sweep/results/sweep_results.h"
#include "sim/verdict/layout_lead.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 5;

// The values of a point by axis.
using Layout = std::map<std::string, std::string, std::less<>>;

std::uint32_t number(const Layout& layout, std::string_view axis, std::uint32_t otherwise) {
  const auto found = layout.find(axis);
  if (found == layout.end()) return otherwise;
  std::uint32_t value = otherwise;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

std::uint32_t layers_of(const TrainingPlan& plan) {
  return static_cast<std::uint32_t>(std::ranges::count_if(plan.model.layers, [](const std::string& kind) {
    return kind != "mtp" && BlockKinds::get(kind).is_layer();
  }));
}

// Returns the number of layers before the first one with experts; 0 if none has experts.
std::uint32_t dense_first(const TrainingPlan& plan) {
  if (plan.model.experts.count == 0) return 0;
  std::uint32_t dense = 0;
  for (const std::string& kind : plan.model.layers) {
    if (!BlockKinds::get(kind).is_layer()) continue;
    if (!kind.ends_with("dense")) break;
    ++dense;
  }
  return dense;
}

// Returns the arguments that deal a model's layers evenly, with empty ones at the end.
std::string pipeline_arguments(const Layout& layout, const TrainingPlan& plan) {
  const std::uint32_t pp = number(layout, "pp", plan.step.pp), vpp = number(layout, "chunks", plan.step.vpp),
                      layers = layers_of(plan), chunks = pp * vpp, each = (layers + chunks - 1) / chunks;
  std::string text = fmt::format("--pipeline-model-parallel-size {}", pp);
  const auto schedule = layout.find("schedule");
  if (schedule != layout.end() && schedule->second == "dualpipev")
    text += " --schedules-method dualpipev";
  else if (vpp > 1)
    text += fmt::format(" --num-layers-per-virtual-pipeline-stage {}", each);
  text += fmt::format(" --num-layers {}", each * chunks);
  if (each * chunks > layers) {
    std::vector<std::uint32_t> empty(each * chunks - layers);
    std::iota(empty.begin(), empty.end(), layers);
    text += fmt::format(" --noop-layers {}", fmt::join(empty, ","));
  }
  // Positions count empty ones too, which the script may have among its dense layers.
  if (const std::uint32_t dense = dense_first(plan); dense > 0)
    text += fmt::format(" --first-k-dense-replace {}", dense);
  return text;
}

std::string arguments_of(const Layout& layout, const TrainingPlan& plan) {
  std::string text = fmt::format("--tensor-model-parallel-size {} {}", number(layout, "tp", plan.step.tp),
                                 pipeline_arguments(layout, plan));
  if (plan.model.experts.count > 0)
    text += fmt::format(" --expert-model-parallel-size {} --expert-tensor-parallel-size {}",
                        number(layout, "ep", plan.step.ep), number(layout, "etp", plan.step.etp));
  text += fmt::format(" --micro-batch-size {}",
                      number(layout, "micro_batch", static_cast<std::uint32_t>(plan.step.micro_batch)));
  if (const auto overlap = layout.find("overlap"); overlap != layout.end())
    text += overlap->second == "two_micro_batches" ? " --moe-fb-overlap"
            : overlap->second == "within_one"      ? " --moe-alltoall-overlap-comm"
                                                   : "";
  const auto again = layout.find("recompute");
  if (again == layout.end() || again->second == "[]") return text;
  if (again->second == "[all]")
    return text + " --recompute-granularity full --recompute-method uniform --recompute-num-layers 1";
  return text + " --recompute-granularity selective --recompute-modules layernorm moe_act moe";
}

Experiment own_step(const ScriptOfSweep& from, const SweepSpec& spec) {
  std::vector<std::string> set;
  for (const Override& setting : spec.settings)
    if (setting.mark.file == "--set" && setting.key != "include") set.push_back(setting.text());
  return load_launch(from.script, from.model, set);
}

Layout layout_of(const SweepResults& sweep, std::size_t point) {
  Layout layout;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) layout[sweep.axes[a].name] = sweep.value(point, a);
  return layout;
}

// Adds smaller groups than the shipped sweep of a large model has, so that scripts on few dies have some, too.
void add_small_groups(SweepAxis& axis) {
  constexpr std::pair<std::string_view, std::string_view> kSmall[] = {
      {"parallel.pp", "2"}, {"parallel.ep", "8"}, {"parallel.ep", "4"}};
  for (const auto& [key, size] : kSmall) {
    const auto has = [&](const SweepValue& value) { return value.label == size; };
    if (axis.values.empty() || axis.values.front().settings.size() != 1 ||
        axis.values.front().settings.front().key != key || std::ranges::any_of(axis.values, has))
      continue;
    SweepValue value = axis.values.front();
    value.label = value.settings.front().value = size;
    axis.values.insert(axis.values.begin(), std::move(value));
  }
}

// Returns whether an axis of the sweep sets the key.
bool sets(const SweepSpec& spec, std::string_view key) {
  return std::ranges::any_of(spec.axes, [&](const SweepAxis& axis) {
    return std::ranges::any_of(axis.values, [&](const SweepValue& value) {
      return std::ranges::find(value.settings, key, &Override::key) != value.settings.end();
    });
  });
}

}  // namespace

void take_script(const ScriptOfSweep& from, SweepSpec& spec) {
  spec.base = fs::absolute(configs_folder() / "steps" / "launch_script.yaml").string();
  spec.name += '_' + fs::path(from.script).stem().string();
  std::erase_if(spec.settings, [](const Override& setting) { return setting.mark.file != "--set"; });
  const Mark mark{from.script, 0, 0};
  std::vector<Override> own;
  if (!from.model.empty()) own.push_back({"include", fs::absolute(from.model).string(), mark});
  own.push_back({"include", fs::absolute(from.script).string(), mark});
  for (const auto& [key, value] :
       {std::pair{"step.split", "layers"}, std::pair{"step.over_capacity", "false"},
        std::pair{"experiment.name", "script"}})
    own.push_back({key, value, mark});
  // Where an axis says what is computed again, that holds for all layers; else what the script says.
  if (sets(spec, "step.recompute")) own.push_back({"step.recompute_layers", "0", mark});
  spec.settings.insert(spec.settings.begin(), own.begin(), own.end());
  // No argument of a script asks for these.
  for (SweepAxis& axis : spec.axes) add_small_groups(axis);
  for (SweepAxis& axis : spec.axes)
    std::erase_if(axis.values,
                  [](const SweepValue& value) { return value.label == "zb_h1" || value.label == "zb_v"; });
  spec.text += fmt::format("# --script {}\n", from.script);
}

std::string better_layouts(const ScriptOfSweep& from, const SweepSpec& spec, const std::string& database) {
  const Experiment own = own_step(from, spec);
  const double own_time = seconds(simulate_step(own).figures.time);
  const std::vector<SweepResults> sweeps = read_results(database);
  const SweepResults& sweep = choose_sweep(sweeps, spec.name);
  const std::vector<double>& times = sweep.metric("total", "latency").values;
  std::vector<std::size_t> points;
  for (std::size_t p = 0; p < times.size(); ++p)
    if (std::isfinite(times[p])) points.push_back(p);
  std::ranges::stable_sort(points, {}, [&](std::size_t p) { return times[p]; });
  constexpr double kMilliseconds = 1e-3;  // the unit of a latency in a database
  std::string text = fmt::format("{}: its own layout takes {:.3f} s per step\n", from.script, own_time);
  std::size_t shown = 0;
  for (const std::size_t p : points) {
    const double time = times[p] * kMilliseconds;
    if (time >= own_time || shown++ == kShown) break;
    text += fmt::format("  {:.3f} s, {:.1f} % less: {}\n", time, 100 * (1 - time / own_time),
                        arguments_of(layout_of(sweep, p), training_plan_of(own)));
  }
  if (shown > 0)
    text +=
        layout_lead("the first of these", "the script's own", times[points.front()] * kMilliseconds, own_time)
            .text() +
        '\n';
  if (shown == 0) text += "no layout of the sweep is faster\n";
  return text;
}

}  // namespace a3sim
