#include "sim/cli/config_option.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>

#include "models/config/huggingface_layers.h"
#include "sim/cli/options.h"
#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "sim/describe/idle_keys.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/step/training_plan.h"
#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

// Returns the dies that exchange anything: those of the group or, of a training step, all.
std::vector<std::uint32_t> dies_that_meet(const Experiment& experiment) {
  const TrainingPlan* const plan = training_plan(experiment);
  if (!plan) return dies_of(experiment.run.ranks);
  std::vector<std::uint32_t> dies(plan->step.dies());
  std::iota(dies.begin(), dies.end(), 0U);
  return dies;
}

// Warns of overridden values of a plane over which no two ranks exchange anything, because they change nothing.
void warn_of_unused_planes(const Experiment& experiment, const std::vector<std::string>& overrides) {
  const auto sets_plane = [](const std::string& override) {
    return override.starts_with("hardware.fabric.planes.");
  };
  if (std::ranges::none_of(overrides, sets_plane)) return;
  const Topology topology(experiment.hardware, experiment.program, dies_that_meet(experiment),
                          experiment.run.transport);
  const auto& planes = experiment.hardware.fabric.planes;
  for (std::uint32_t p = 0; p < planes.size(); ++p) {
    const std::string key = "hardware.fabric.planes." + planes[p].name + '.';
    const auto of_plane = std::ranges::find_if(
        overrides, [&](const std::string& override) { return override.starts_with(key); });
    if (of_plane == overrides.end() || topology.uses(p)) continue;
    spdlog::warn("--set {}: no two ranks meet over plane '{}' here, so it changes nothing", *of_plane,
                 planes[p].name);
  }
}

// Warns of what --set or a user's file states and what changes nothing. Files that it includes, and shipped ones, serve several
// ways of running; a model's config.json states nothing of ours.
void warn_of_idle_keys(const Experiment& experiment, const std::string& file) {
  const bool shipped =
      file.starts_with(configs_folder().string()) || file.ends_with(".json") || file.ends_with(".sh");
  for (const IdleKey& key : idle_keys(experiment))
    if (key.mark.file == "--set" || (key.mark.file == file && !shipped)) spdlog::warn("{}", key.text());
}

// Returns whether a file begins like a JSON object.
bool may_be_json(const std::string& name) {
  char first = 0;
  std::ifstream(name) >> first;
  return first == '{' || first == '\xEF';
}

// Returns what is wrong with a file that cannot be a model's. A file that cannot be read is refused later, by
// its reader.
std::string missing_json(const std::string& name) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(name, none) || may_be_json(name)) return {};
  return name + " is no JSON object, expected a model's config.json";
}

// Families whose experts have the width intermediate_size: their config.json states no other width.
constexpr std::string_view kPlainWidth[] = {"mixtral",    "gpt_oss", "llama4", "llama4_text", "phimoe",
                                            "granitemoe", "jamba",   "olmoe",  "minimax",     "minimax_m2"};

// Warns if a model's config.json states an expert's width under no known key, so that a dense layer's width
// is used.
void warn_of_guessed_width(const std::string& file, const std::vector<std::string>& overrides) {
  const auto json = nlohmann::json::parse(std::ifstream(file), nullptr, false);
  if (!json.is_object()) return;
  const auto& model =
      json.contains("text_config") && !json.contains("hidden_size") ? json["text_config"] : json;
  if (!model.is_object() || model.contains("moe_intermediate_size") || !model.contains("intermediate_size"))
    return;
  const std::string family = model.contains("model_type") && model["model_type"].is_string()
                                 ? model["model_type"].get<std::string>()
                                 : std::string();
  const auto sets_width = [](const std::string& override) {
    return override.starts_with("model.intermediate=");
  };
  if (std::ranges::find(kPlainWidth, family) != std::end(kPlainWidth) ||
      std::ranges::any_of(overrides, sets_width))
    return;
  spdlog::warn(
      "{}: model_type '{}' is not known, so intermediate_size ({}) is taken for an expert's width; --set "
      "model.intermediate=N gives another",
      file, family, model["intermediate_size"].dump());
}

bool has_experts(const Experiment& experiment) {
  Diagnostics ignored;
  return Config::from(*experiment.tree, {}, ignored).map("model").has("experts");
}

// Warns of facts about its layers that a model's config.json does not state, if a training step runs all of
// them.
void warn_of_assumed_layers(const std::string& file, const Experiment& experiment) {
  Diagnostics ignored;
  const Config root = Config::from(*experiment.tree, {}, ignored);
  if (root.map("experiment").text("workload", "") != "training_step") return;
  for (const SourcedValue& value : root.map("model").sourced())
    if (value.source == kAssumedOfModel)
      spdlog::warn("{}: it does not say {}, which is taken to be {}; --set {}=VALUE gives another", file,
                   value.path.substr(6), value.value, value.path);
}

}  // namespace

void OverrideOptions::add_set_to(CLI::App& app) {
  repeatable(app.add_option("--set", set, "override a value: path.to.key=value; repeatable"), "KEY=VALUE");
}

void OverrideOptions::add_order_to(CLI::App& app) {
  CLI::Option* const option = app.add_option(
      "--order", order, "the order of this file instead of the configuration's ('try --help')");
  take_shipped_too(option->type_name("FILE"), "orders");
}

Experiment OverrideOptions::load(const std::string& file) const {
  Experiment experiment = order.empty() ? load_experiment(file, set) : load_with_order(file, order, set);
  warn(experiment, file);
  return experiment;
}

void OverrideOptions::warn(const Experiment& experiment, const std::string& file) const {
  warn_of_unused_planes(experiment, set);
  warn_of_idle_keys(experiment, file);
  if (may_be_json(file)) {
    if (has_experts(experiment)) warn_of_guessed_width(file, set);
    warn_of_assumed_layers(file, experiment);
  }
  warn_of_order(experiment);
}

Experiment ConfigOption::load() const {
  if (script.empty() || model.empty()) return OverrideOptions::load(file);
  if (!order.empty())
    throw InputError("--order goes with the tasks of a layer, and a launch script runs whole steps");
  Experiment experiment = load_launch(script, model, set);
  warn(experiment, script);
  return experiment;
}

void ConfigOption::add_without_order_to(CLI::App& app) {
  CLI::Option_group* const which = app.add_option_group("what runs", "What runs, one of");
  take_shipped_too(which->add_option("CONFIG", file, "experiment (YAML), or a shipped one: ep8"),
                   "experiments");
  which
      ->add_option(
          "--hf", model,
          "a model instead: its HuggingFace config.json, its experts run as ep8.yaml is; a step of all of it "
          "where it has none, or where --set says something of one, as parallel.pp=8 or inference.batch=16")
      ->type_name("FILE")
      ->check(CLI::Validator(missing_json, ""));
  which
      ->add_option("--script", script,
                   "a launch script of Megatron or MindSpeed-LLM, or the YAML of its FSDP2 trainer: the "
                   "training step that it "
                   "runs; nothing in it is executed. With --hf, for sizes that it leaves out")
      ->type_name("FILE");
  which->require_option(1, 2);
  app.parse_complete_callback([this] {
    if (!file.empty() && !(script + model).empty())
      throw CLI::ValidationError("CONFIG", "an experiment and --script or --hf: give one of them");
    if (file.empty()) file = script.empty() ? model : script;
  });
  add_set_to(app);
}

void ConfigOption::add_to(CLI::App& app) {
  add_without_order_to(app);
  add_order_to(app);
}

void warn_of_order(const Experiment& experiment) {
  for (const std::string& sentence : unused_entries(experiment)) spdlog::warn("{}", sentence);
}

}  // namespace a3sim
