#include "sim/describe/idle_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "sim/describe/key_sentences.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

constexpr std::string_view kSet = "--set";  // the file of overrides

void add_unread(const Config& config, const KeyTree& tree, std::vector<IdleKey>& idle) {
  for (const auto& [key, known] : tree.keys) {
    if (!known.present) continue;
    if (known.below && !known.below->list)
      add_unread(config.map(key), *known.below, idle);
    else if (known.forms.empty() && !known.below)
      idle.push_back({config.mark(key), config.path(key)});
  }
}

// Returns where a document states a key, if it does.
std::optional<Mark> place_of(Config config, std::string_view path) {
  while (true) {
    const std::string_view part = path.substr(0, path.find('.'));
    if (!config.has(part)) return std::nullopt;
    if (part.size() == path.size()) return config.mark(part);
    if (!config.is_map(part)) return std::nullopt;
    config = config.map(part);
    path.remove_prefix(part.size() + 1);
  }
}

// Barriers of cores that a graph states, whatever runs it.
bool has_barriers(const Experiment& experiment) {
  return std::ranges::any_of(experiment.passes, [](const Pass& pass) {
    return std::ranges::any_of(pass.graph.operators(),
                               [](const OperatorNode& op) { return op.type == "Barrier"; });
  });
}

// Returns the program's values that some execution charges and this one does not.
std::set<std::string_view> not_charged(const Experiment& experiment) {
  std::set<std::string_view> paths;
  for (const auto& [name, type] : Executions::all()) {
    for (const Transport transport : {Transport::kPuts, Transport::kCollective})
      for (const std::string_view path : type.object->charges(transport)) paths.insert(path);
  }
  std::erase_if(paths, [&](std::string_view path) { return charges(experiment.run, path); });
  if (has_barriers(experiment)) paths.erase("program.signals.sync_all");
  return paths;
}

// Returns the values of other executions in a mapping by execution: `workers.aiv.dynamic` in a static run.
std::vector<std::string> of_other_executions(const Config& stated, const Experiment& experiment) {
  std::vector<std::string> paths;
  const auto add = [&](const Config& block, const std::string& key) {
    if (!block.is_map(key)) return;
    for (const std::string& name : block.map(key).keys())
      if (Executions::find(name) && name != experiment.run.execution)
        paths.push_back(block.path(key) + "." + name);
  };
  const Config workers = stated.map("workers");
  for (const std::string& kind : workers.keys()) add(workers, kind);
  add(stated.map("experiment"), "weight_gradients");
  return paths;
}

}  // namespace

std::string IdleKey::text() const {
  const std::string_view meaning = meaning_of("experiment", path);
  return fmt::format("{}: {} has no effect here{}{}", mark.text(), path, meaning.empty() ? "" : ". ",
                     meaning);
}

std::vector<IdleKey> idle_keys(const Experiment& experiment) {
  std::vector<IdleKey> idle;
  Diagnostics diagnostics;
  const Config root = Config::from(*experiment.tree, {}, diagnostics);
  static_cast<void>(read_experiment(root, diagnostics));
  add_unread(root, root.known(), idle);
  const bool runs_once = experiment.work->why_no_schedule_run().empty();
  if (!runs_once) return idle;
  const Config stated = Config::from(*experiment.tree, {}, diagnostics);
  // Files may be included by experiments of other executions, for which these values are.
  const auto add_overridden = [&](std::string_view path) {
    if (const auto mark = place_of(stated, path); mark && mark->file == kSet)
      idle.push_back({*mark, std::string(path)});
  };
  for (const std::string_view path : not_charged(experiment)) add_overridden(path);
  for (const std::string& path : of_other_executions(stated, experiment)) add_overridden(path);
  return idle;
}

}  // namespace a3sim
