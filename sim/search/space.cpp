#include "sim/search/space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scheduler/orders/order_keys.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/overrides.h"

namespace a3sim {
namespace {

constexpr std::string_view kQueueNames[kCoreUnits] = {"ctq", "vtq"};
constexpr std::size_t kMostAlternatives = 200;  // per term or decision; also the most terms of a queue

std::vector<std::string> settings_below(const Config& map, const std::filesystem::path& folder) {
  std::vector<std::string> settings;
  for (const Override& setting : read_overrides(map, folder)) settings.push_back(setting.text());
  return settings;
}

std::vector<NamedSettings> named_settings(const Config& parent, const std::string& key,
                                          const std::filesystem::path& folder) {
  std::vector<NamedSettings> all;
  const Config map = parent.map(key);
  for (const std::string& name : map.names()) all.push_back({name, settings_below(map.map(name), folder)});
  map.finish();
  return all;
}

// Replaces names of an experiment's numbers in a key, which expressions do not know.
std::string with_any_numbers(std::string key) {
  for (std::size_t at; (at = key.find("{experts}")) != std::string::npos;) key.replace(at, 9, "1");
  return key;
}

std::vector<KeyTerm> read_terms(const Config& terms) {
  std::vector<KeyTerm> read;
  for (const std::string& name : terms.names()) {
    KeyTerm term{name, terms.texts(name)};
    if (term.keys.empty()) terms.error(name, "no sort key, expected at least one ('': the term is left out)");
    if (term.keys.size() > kMostAlternatives)
      terms.error(name, fmt::format("{} keys, expected at most {}", term.keys.size(), kMostAlternatives));
    for (const std::string& key : term.keys) {
      if (key.empty()) continue;
      if (const std::string what = key_error(with_any_numbers(key)); !what.empty()) terms.error(name, what);
    }
    read.push_back(std::move(term));
  }
  terms.finish();
  return read;
}

SearchDecision read_decision(const Config& decisions, const std::string& name,
                             const std::filesystem::path& folder) {
  const Config config = decisions.map(name);
  SearchDecision decision{name, config.text("pass", ""), {{"as configured", {}}}};
  if (config.has("list") == config.has("key")) {
    decisions.error(name, "expected one of these: 'key' with 'values', or 'list' with named settings");
    for (const std::string& key : config.keys()) config.let_stand(key);
  } else if (config.has("list")) {
    for (NamedSettings& value : named_settings(config, "list", folder))
      decision.values.push_back(std::move(value));
  } else {
    const std::string key = config.text("key");
    for (const auto& [yaml, mark] : config.yaml_items("values"))
      decision.values.push_back({yaml, {make_override(key, yaml, mark, folder).text()}});
  }
  if (decision.values.size() < 2) decisions.error(name, "no values, expected at least one");
  if (decision.values.size() > kMostAlternatives)
    decisions.error(name, fmt::format("expected at most {} values", kMostAlternatives - 1));
  config.finish();
  return decision;
}

std::uint8_t read_choice(const Config& seed, const SearchDecision& decision) {
  const std::string value = seed.text(decision.name);
  const auto found = std::ranges::find(decision.values, value, &NamedSettings::name);
  if (found != decision.values.end()) return static_cast<std::uint8_t>(found - decision.values.begin());
  std::vector<std::string> names;
  for (const NamedSettings& one : decision.values) names.push_back(one.name);
  seed.error(decision.name,
             fmt::format("'{}', expected one of its values: {}", value, fmt::join(names, ", ")));
  return 0;
}

SearchSeed read_seed(const Config& config, const std::string& name, const SearchSpace& space) {
  SearchSeed seed{name, {}, {}};
  for (std::size_t unit = 0; unit < kCoreUnits; ++unit) {
    const std::string queue(kQueueNames[unit]);
    if (!config.has(queue)) continue;
    seed.queues[unit] = genes_saying(space.terms[unit], config.texts(queue));
    if (!seed.queues[unit])
      config.error(
          queue,
          "expected keys of this queue's terms, at most one of each, and all of those that have no ''");
  }
  for (std::size_t d = 0; d < space.decisions.size(); ++d) {
    if (config.has(space.decisions[d].name))
      seed.settings.emplace_back(d, read_choice(config, space.decisions[d]));
  }
  config.finish();
  return seed;
}

bool serves(const std::filesystem::path& file, const std::string& workload) {
  return std::ranges::count(read_space(file).workloads, workload) > 0;
}

}  // namespace

std::string workload_of(const Experiment& experiment) {
  const auto value = [&](std::string_view path) {
    const auto found =
        std::ranges::find(experiment.values, path, &std::pair<std::string, std::string>::first);
    return found == experiment.values.end() ? std::string() : found->second;
  };
  const std::string workload = value("experiment.workload");
  return workload == "graph" ? value("graph.name") : workload;
}

std::optional<QueueGenes> genes_saying(const std::vector<KeyTerm>& terms,
                                       const std::vector<std::string>& keys) {
  QueueGenes genes;
  genes.picks.assign(terms.size(), 0);
  std::vector<bool> used(terms.size());
  const auto take = [&](const std::string& key) {
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const auto found = std::ranges::find(terms[t].keys, key);
      if (used[t] || found == terms[t].keys.end()) continue;
      used[t] = true;
      genes.sequence.push_back(static_cast<std::uint8_t>(t));
      genes.picks[t] = static_cast<std::uint8_t>(found - terms[t].keys.begin());
      return true;
    }
    return false;
  };
  for (const std::string& key : keys) {
    if (!take(key)) return std::nullopt;
  }
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (!used[t] && !take("")) return std::nullopt;
  }
  return genes;
}

SearchSpace read_space(const Config& root, const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  SearchSpace space;
  space.name = file.stem().string();
  const Config block = root.map("space");
  space.workloads = block.texts("workloads");
  const Config queues = block.map("queues");
  for (std::size_t unit = 0; unit < kCoreUnits; ++unit) {
    const std::string name(kQueueNames[unit]);
    if (queues.has(name)) space.terms[unit] = read_terms(queues.map(name));
    if (space.terms[unit].size() > kMostAlternatives)
      queues.error(name, fmt::format("expected at most {} terms", kMostAlternatives));
  }
  queues.finish();
  const Config decisions = block.map("decisions");
  for (const std::string& name : decisions.names())
    space.decisions.push_back(read_decision(decisions, name, folder));
  decisions.finish();
  const Config seeds = block.map("seeds");
  for (const std::string& name : seeds.names())
    space.seeds.push_back(read_seed(seeds.map(name), name, space));
  seeds.finish();
  space.rungs = named_settings(block, "rungs", folder);
  space.training = named_settings(block, "training", folder);
  space.held_out = named_settings(block, "held_out", folder);
  block.finish();
  root.finish();
  return space;
}

SearchSpace read_space(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  if (!root.has("space") && diagnostics.empty())
    diagnostics.error(root.mark(), "space",
                      "missing: a space stands below this key, as in configs/spaces/moe_ffn.yaml");
  diagnostics.throw_if_any();
  SearchSpace space = read_space(root, file);
  diagnostics.throw_if_any();
  return space;
}

std::filesystem::path default_space(const Experiment& experiment) {
  const std::filesystem::path folder = configs_folder() / "spaces";
  const std::string workload = workload_of(experiment);
  for (const std::filesystem::path& file : files_in(folder)) {
    if (serves(file, workload)) return file;
  }
  return folder / "any.yaml";
}

}  // namespace a3sim
