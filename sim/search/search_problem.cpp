#include "sim/search/search_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "models/operators/operator.h"
#include "scheduler/orders/order_config.h"
#include "sim/core/config/yaml_writer.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"

namespace a3sim {
namespace {

constexpr std::string_view kPlanKeys[kCoreUnits] = {"ctq", "vtq"};
constexpr std::string_view kOrderPrefix = "order.";
constexpr std::string_view kFoundName = "found";

std::vector<std::string> operators_of(const Pass& pass, std::size_t unit) {
  std::vector<std::string> names;
  for (const OperatorNode& op : pass.graph.operators()) {
    if (static_cast<std::size_t>(Operators::get(op.type).unit()) == unit) names.push_back(op.name);
  }
  return names;
}

// True if each pass has operators of its own, and an order may name all of them.
bool passes_apart(const Experiment& experiment) {
  std::set<std::string> seen;
  for (const Pass& pass : experiment.passes) {
    for (const OperatorNode& op : pass.graph.operators()) {
      if (!seen.insert(op.name).second) return false;
      if (std::ranges::count(experiment.order.elsewhere, op.name) == 0) return false;
    }
  }
  return experiment.passes.size() > 1;
}

void put_numbers(std::string& key, std::uint32_t experts) {
  constexpr std::string_view kExperts = "{experts}";
  for (std::size_t at; (at = key.find(kExperts)) != std::string::npos;)
    key.replace(at, kExperts.size(), std::to_string(std::max(1U, experts)));
}

bool is_plan_key(const std::string& key) {
  return key == "name" || key == "description" || std::ranges::any_of(kPlanKeys, [&](std::string_view plan) {
           return key == plan || key == std::string(plan) + "_list";
         });
}

bool has_keys_alone(const OrderSpec& order) {
  return std::ranges::all_of(order.keys, [](const auto& keys) { return !keys.empty(); });
}

std::string quoted(const std::vector<std::string>& keys) {
  std::vector<std::string> texts;
  for (const std::string& key : keys) texts.push_back('"' + key + '"');
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

std::string why_not_searched(const Experiment& experiment, const SearchSpace& space) {
  const bool sorts = std::ranges::any_of(space.terms, [](const auto& terms) { return !terms.empty(); });
  return sorts ? experiment.work->why_no_schedule_run() : std::string();
}

SearchProblem::SearchProblem(Experiment experiment, SearchSpace space, bool own_alone)
    : experiment_(std::move(experiment)), space_(std::move(space)) {
  orders_ = experiment_.work->why_no_schedule_run().empty();
  if (const std::string why = why_not_searched(experiment_, space_); !why.empty())
    throw InputError(experiment_.name + ": " + why);
  const std::uint32_t experts =
      experiment_.shape.ep > 0 ? experiment_.shape.experts() / experiment_.shape.ep : 0;
  for (auto& terms : space_.terms) {
    for (KeyTerm& term : terms) {
      for (std::string& key : term.keys) put_numbers(key, experts);
    }
  }
  for (SearchDecision& decision : space_.decisions) {  // of a pass that does not run: nothing to choose
    const auto runs = [&](const Pass& pass) { return pass.name == decision.pass; };
    if (!decision.pass.empty() && std::ranges::none_of(experiment_.passes, runs)) decision.values.resize(1);
  }
  find_parts();
  Diagnostics own;
  const Config tree = Config::from(*experiment_.tree, {}, own);
  add_start(orders_ ? experiment_.order.name : "the configuration", experiment_.order, tree.map("order"),
            experiment_.order.where);
  if (own_alone || !orders_) return;
  for (const std::filesystem::path& file : files_in(configs_folder() / "orders")) {
    OrderSpec order = read_order_file(file);
    if (order.keys[0] == experiment_.order.keys[0] && order.keys[1] == experiment_.order.keys[1] &&
        order.name == experiment_.order.name)
      continue;
    if (!names_known_operators(experiment_, order)) continue;
    Diagnostics shipped;
    const Config root = Config::load(file, {}, shipped);
    std::string name = order.name;
    add_start(std::move(name), std::move(order), root.map("order"), file.string());
  }
}

void SearchProblem::find_parts() {
  if (passes_apart(experiment_)) {
    for (std::size_t p = 0; p < experiment_.passes.size(); ++p) {
      parts_.push_back(experiment_.passes[p].name);
      passes_of_part_.push_back({p});
    }
  } else {
    parts_.emplace_back("all passes");
    passes_of_part_.emplace_back();
    for (std::size_t p = 0; p < experiment_.passes.size(); ++p) passes_of_part_.back().push_back(p);
  }
  for (const std::vector<std::size_t>& passes : passes_of_part_) {
    for (std::size_t unit = 0; unit < kCoreUnits; ++unit) {
      const bool tasks = std::ranges::any_of(
          passes, [&](std::size_t p) { return !operators_of(experiment_.passes[p], unit).empty(); });
      open_.push_back(tasks && !space_.terms[unit].empty());
    }
  }
}

void SearchProblem::add_start(std::string name, OrderSpec order, const Config& block, std::string file) {
  SearchStart start{std::move(name), std::move(order), {}, std::move(file), false};
  start.sorted = has_keys_alone(start.order);
  for (const std::string& key : block.keys()) {
    if (!is_plan_key(key)) start.rest.emplace_back(key, block.yaml(key));
  }
  if (start.file.find(':') != std::string::npos) start.file.resize(start.file.find(':'));
  starts_.push_back(std::move(start));
}

std::string SearchProblem::queue_name(std::size_t queue) const {
  const std::string plan(kPlanKeys[queue % kCoreUnits]);
  return parts_.size() == 1 ? plan : parts_[queue / kCoreUnits] + ' ' + plan;
}

bool SearchProblem::empty() const {
  return space_.decisions.empty() && std::ranges::none_of(open_, [](bool open) { return open; });
}

// Returns terms that equal the start's keys, or else the keys themselves.
QueueGenes SearchProblem::genes_of(std::size_t start, std::size_t queue) const {
  const std::size_t unit = queue % kCoreUnits;
  const std::vector<KeyTerm>& terms = space_.terms[unit];
  if (open_[queue]) {
    if (std::optional<QueueGenes> genes = genes_saying(terms, starts_[start].order.keys[unit])) return *genes;
  }
  QueueGenes whole{static_cast<std::uint32_t>(start) + 1, {}, std::vector<std::uint8_t>(terms.size(), 0)};
  for (std::size_t t = 0; t < terms.size(); ++t) whole.sequence.push_back(static_cast<std::uint8_t>(t));
  return whole;
}

Candidate SearchProblem::from_start(std::size_t start) const {
  Candidate candidate;
  candidate.rest_of = static_cast<std::uint32_t>(start);
  for (std::size_t queue = 0; queue < open_.size(); ++queue)
    candidate.queues.push_back(genes_of(start, queue));
  candidate.settings.assign(space_.decisions.size(), 0);
  return candidate;
}

Candidate SearchProblem::seeded(Candidate candidate, const SearchSeed& seed) const {
  for (std::size_t queue = 0; queue < open_.size(); ++queue) {
    const std::optional<QueueGenes>& genes = seed.queues[queue % kCoreUnits];
    if (open_[queue] && genes) candidate.queues[queue] = *genes;
  }
  for (const auto& [decision, value] : seed.settings) {
    if (value < space_.decisions[decision].values.size()) candidate.settings[decision] = value;
  }
  return candidate;
}

std::vector<std::string> SearchProblem::keys(const Candidate& candidate, std::size_t queue) const {
  const std::size_t unit = queue % kCoreUnits;
  const QueueGenes& genes = candidate.queues[queue];
  if (genes.keys_of > 0) return starts_[genes.keys_of - 1].order.keys[unit];
  std::vector<std::string> keys;
  for (const std::uint8_t term : genes.sequence) {
    const std::string& key = space_.terms[unit][term].keys[genes.picks[term]];
    if (!key.empty()) keys.push_back(key);
  }
  if (keys.empty()) keys.emplace_back("op");
  return keys;
}

// Returns a condition that holds for the part's tasks only.
std::string SearchProblem::part_condition(std::size_t part, std::size_t unit) const {
  std::vector<std::string> tests;
  for (const std::size_t p : passes_of_part_[part]) {
    for (const std::string& name : operators_of(experiment_.passes[p], unit))
      tests.push_back("op == " + name);
  }
  return fmt::format("{}", fmt::join(tests, " || "));
}

// Returns a unit's keys for all parts. If the parts differ, a key asks to which one a task belongs.
std::vector<std::string> SearchProblem::plan_keys(const Candidate& candidate, std::size_t unit) const {
  std::vector<std::size_t> parts;
  std::vector<std::vector<std::string>> by_part;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (part_condition(part, unit).empty()) continue;
    parts.push_back(part);
    by_part.push_back(keys(candidate, queue(part, unit)));
  }
  if (by_part.empty()) return keys(candidate, queue(0, unit));
  std::size_t longest = 0;
  for (const auto& keys : by_part) longest = std::max(longest, keys.size());
  std::vector<std::string> together;
  for (std::size_t k = 0; k < longest; ++k) {
    const auto key_of = [&](std::size_t i) {
      return k < by_part[i].size() ? by_part[i][k] : std::string("0");
    };
    std::string text = key_of(parts.size() - 1);
    for (std::size_t i = parts.size() - 1; i-- > 0;) {
      if (key_of(i) == text) continue;
      text = fmt::format("({}) ? ({}) : ({})", part_condition(parts[i], unit), key_of(i), text);
    }
    together.push_back(std::move(text));
  }
  return together;
}

std::vector<std::string> SearchProblem::chosen(const Candidate& candidate, bool of_order) const {
  std::vector<std::string> settings;
  for (std::size_t d = 0; d < space_.decisions.size(); ++d) {
    for (const std::string& setting : space_.decisions[d].values[candidate.settings[d]].settings) {
      if (setting.starts_with(kOrderPrefix) == of_order) settings.push_back(setting);
    }
  }
  return settings;
}

std::vector<std::string> SearchProblem::settings(const Candidate& candidate) const {
  return chosen(candidate, false);
}

Config SearchProblem::order_config(const Candidate& candidate, Diagnostics& diagnostics,
                                   const std::string& lists) const {
  const SearchStart& start = starts_[candidate.rest_of];
  std::string text = fmt::format("order:\n  name: {}\n", kFoundName);
  for (std::size_t unit = 0; unit < kCoreUnits; ++unit)
    text += lists.empty() ? fmt::format("  {}: {}\n", kPlanKeys[unit], quoted(plan_keys(candidate, unit)))
                          : fmt::format("  {}_list: \"{}\"\n", kPlanKeys[unit], lists);
  for (const auto& [key, yaml] : start.rest) text += fmt::format("  {}: {}\n", key, yaml);
  return Config::parse(text, start.file, chosen(candidate, true), diagnostics);
}

std::string SearchProblem::order_text(const Candidate& candidate, const std::string& lists) const {
  Diagnostics diagnostics;
  const Config root = order_config(candidate, diagnostics, lists);
  diagnostics.throw_if_any();
  return write_yaml(*root.tree());
}

std::string SearchProblem::order_line(const Candidate& candidate) const {
  Diagnostics diagnostics;
  const Config root = order_config(candidate, diagnostics);
  diagnostics.throw_if_any();
  return root.yaml("order");
}

OrderSpec SearchProblem::order(const Candidate& candidate) const {
  Diagnostics diagnostics;
  const Config root = order_config(candidate, diagnostics);
  OrderSpec order = read_order(root.map("order"));
  root.finish();
  diagnostics.throw_if_any();
  return order;
}

}  // namespace a3sim
