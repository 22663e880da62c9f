#include "sim/traffic/traffic_paths.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/closest.h"
#include "sim/core/config/include.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/streams/first_batch.h"

namespace a3sim {
namespace {

// Returns the experiment with shipped files laid over it, and changes.
Experiment laid_over(const Experiment& experiment, const std::vector<std::string>& files,
                     const std::vector<std::string>& changes) {
  Diagnostics diagnostics;
  const std::unique_ptr<ConfigValue> tree = experiment.tree->as_read();
  for (const std::string& file : files) {
    std::unique_ptr<ConfigValue> over = read_with_includes(configs_folder() / file, diagnostics);
    diagnostics.throw_if_any();
    merge(*tree, std::move(over));
  }
  Experiment laid = read_experiment(Config::from(*tree, changes, diagnostics), diagnostics);
  for (const auto& amendment : experiment.amendments) laid.amend(amendment);
  return laid;
}

std::vector<std::string> pass_names(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const Pass& pass : experiment.passes) names.push_back(pass.name);
  return names;
}

// Makes a path of what `make` returns.
template <class Make>
TrafficPath made(std::string name, const Make& make) {
  TrafficPath path{std::move(name), nullptr, {}, false};
  try {
    path.experiment = std::make_shared<const Experiment>(make());
  } catch (const InputError& error) {
    const std::string_view why = error.what();
    path.refused = why.substr(0, why.find('\n'));
  }
  return path;
}

TrafficPath preset_path(const Experiment& experiment, const std::string& preset) {
  return made(preset, [&] {
    Experiment laid = laid_over(experiment, {"presets/" + preset + ".yaml"}, {});
    if (pass_names(laid) != pass_names(experiment))
      throw InputError(fmt::format("has the passes {} alone", fmt::join(pass_names(laid), ", ")));
    return laid;
  });
}

// Returns the experiment under another shipped order, if its tasks are put in order at all.
TrafficPath order_path(const Experiment& experiment, const std::filesystem::path& file) {
  return made("order " + file.stem().string(), [&] {
    OrderSpec order = read_order_file(file);
    if (!names_known_operators(experiment, order)) throw InputError("is of other operators");
    return with_order(experiment, std::move(order));
  });
}

// Returns the kernel of pto-isa, which has products of int8: a path for those who may quantise.
TrafficPath mega_moe_path(const Experiment& experiment) {
  return made("mega_moe (int8)", [&] {
    if (pass_names(experiment) != std::vector<std::string>{"forward"})
      throw InputError("has the pass forward alone");
    const MoeShape& s = experiment.shape;
    return load_experiment(
        configs_folder() / "experiments" / "mega_moe.yaml",
        std::vector<std::string>{
            fmt::format("model.tokens={}", s.tokens), fmt::format("model.hidden={}", s.hidden),
            fmt::format("model.intermediate={}", s.intermediate), fmt::format("model.top_k={}", s.top_k),
            fmt::format("model.experts_per_rank={}", s.experts_per_rank),
            fmt::format("parallel.ep={}", s.ep)});
  });
}

bool has_key(const Experiment& experiment, std::string_view key) {
  return std::ranges::any_of(experiment.values, [&](const auto& value) { return value.first == key; });
}

}  // namespace

std::vector<std::string> changes_to_experts(const Experiment& experiment, std::uint32_t experts) {
  if (has_key(experiment, "model.experts")) return {fmt::format("model.experts={}", experts)};
  return {fmt::format("model.experts_per_rank={}", experts / experiment.shape.ep)};
}

TrafficPath streams_path(const Experiment& experiment, const std::string& method) {
  TrafficPath path = made("streams, " + method, [&] {
    const std::string change = "experiment.method=" + method;
    if (experiment.work->micro_batches()) return laid_over(experiment, {}, {change});
    // Adds what streams need on a die of A3: its copy engine, and a program that dispatches by a kernel.
    std::vector<std::string> files{"programs/feplb_a3.yaml"};
    if (!experiment.hardware.copy_engine) files.emplace_back("ports/sdma.yaml");
    return laid_over(experiment, files, {"experiment.execution=streams", change});
  });
  path.micro_batches = true;
  return path;
}

std::vector<TrafficPath> traffic_paths(const Experiment& experiment, const std::vector<std::string>& named) {
  const bool streams = experiment.work->micro_batches() != nullptr;
  std::vector<TrafficPath> paths{
      {"as configured", std::make_shared<const Experiment>(experiment), {}, streams}};
  if (streams) {
    if (!named.empty())
      throw InputError(
          "--paths: presets are ways to run tiles; this experiment's kernels on streams take every method");
    for (const std::string& method : Methods::names()) paths.push_back(streams_path(experiment, method));
    return paths;
  }
  const std::vector<std::string> presets = names_in(configs_folder() / "presets");
  for (const std::string& preset : named)
    if (std::ranges::find(presets, preset) == presets.end())
      throw InputError(
          fmt::format("--paths: no preset is called '{}'{}", preset, suggestion(preset, presets)));
  for (const std::string& preset : named.empty() ? presets : named)
    paths.push_back(preset_path(experiment, preset));
  if (!named.empty()) return paths;
  paths.push_back(mega_moe_path(experiment));
  const std::string& execution = experiment.run.execution;
  if (execution == "static" || execution == "dynamic")
    for (const std::filesystem::path& file : files_in(configs_folder() / "orders"))
      paths.push_back(order_path(experiment, file));
  return paths;
}

Variation on_counts(const TrafficPath& path, RoutingCounts counts, std::vector<RoutingCounts> before) {
  const auto known = std::make_shared<const RoutingCounts>(std::move(counts));
  const auto steps = std::make_shared<const std::vector<RoutingCounts>>(std::move(before));
  return {path.name, {}, [path, known, steps](const Experiment&) {
            if (!path.experiment) throw InputError(path.refused);
            const std::uint32_t experts = known->experts();
            Experiment changed = experts == path.experiment->shape.experts()
                                     ? *path.experiment
                                     : path.experiment->with(changes_to_experts(*path.experiment, experts));
            changed.amend([known, steps, streams = path.micro_batches](Experiment& experiment) {
              experiment.routing.known = known;
              if (streams) experiment.work = streams_on(experiment, {*steps, {*known}});
            });
            return changed;
          }};
}

}  // namespace a3sim
