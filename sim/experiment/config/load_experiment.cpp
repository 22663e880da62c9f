#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/core/config/foreign.h"
#include "sim/core/config/include.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/job_blocks.h"
#include "sim/experiment/config/launch_layers.h"
#include "sim/experiment/experiment.h"
#include "traces/import/chakra_graph.h"

// Makes a configuration of what a file is: a configuration of ours, a model's config.json, a launch script, a folder of traces.
namespace a3sim {
namespace {

// Returns what reads a file of another program; nullptr for a configuration of ours.
const ForeignConfig* foreign_reader(const std::filesystem::path& file) {
  // A pipe is read once, by whoever takes it.
  std::error_code none;
  const bool regular = std::filesystem::is_regular_file(file, none);
  const std::string text = regular ? try_read_file(file, kLargestFile).text : "";
  for (const auto& [name, item] : ForeignConfigs::all())
    if (item.object->takes(file, text)) return item.object.get();
  return nullptr;
}

// Refuses a file that is only a machine, a model or an order, and one without a machine, with one sentence instead of an
// error for each missing key.
void refuse_part(const Config& root, const std::filesystem::path& file) {
  const std::vector<std::string> keys = root.keys();
  if (keys.empty()) return;
  if ((root.has("experiment") || root.has("parallel")) && root.has("hardware")) return;
  if (root.has("experiment") || root.has("parallel"))
    throw InputError(
        fmt::format("{}: hardware: missing, no machine is included; begin with an experiment (include: [ep8, "
                    "...]), or with "
                    "a machine, a program and an order (include: [a3_24_48, hyperparallel, published, ...])",
                    root.mark().text()));
  throw InputError(fmt::format(
      "{}: no experiment, it has '{}' alone; run an experiment that says 'include: [EXPERIMENT, {}]' "
      "('a3sim config init experiment -o FILE' writes one)",
      file.string(), fmt::join(keys, "', '"), file.filename().string()));
}

bool any_is_set(std::span<const std::string_view> keys, std::span<const std::string> overrides) {
  return std::ranges::any_of(overrides, [&](const std::string& set) {
    return std::ranges::any_of(keys, [&](std::string_view key) { return set.starts_with(key); });
  });
}

// Returns whether the model of a file has no experts.
bool is_dense(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::parse(fmt::format("include: ['{}']\n", file.filename().string()), file.string(),
                                    {}, diagnostics);
  return diagnostics.empty() && root.has("model") && !root.map("model").has("experts");
}

// Returns whether the whole model is trained: if it has no experts to be run alone, or an option of a
// training step is set.
bool as_training_step(const std::filesystem::path& file, std::span<const std::string> overrides) {
  constexpr std::string_view kStep[] = {
      "step.",        "parallel.tp=", "parallel.pp=",   "parallel.vpp=",
      "parallel.cp=", "parallel.dp=", "parallel.dies=", "experiment.workload=training_step"};
  return any_is_set(kStep, overrides) || is_dense(file);
}

// Returns whether a step of inference is asked for.
bool as_inference_step(std::span<const std::string> overrides) {
  constexpr std::string_view kInference[] = {"inference.", "experiment.workload=inference_step"};
  return any_is_set(kInference, overrides);
}

// Returns the configuration of a training step on A3: kernel by kernel, with the host's all-to-all for rows.
std::string training_step_with(const std::string& model) {
  const std::filesystem::path configs = configs_folder();
  return fmt::format(
      "include: ['{}', '{}', '{}', '{}', '{}']\n"
      "experiment: {{name: hf, workload: training_step, execution: kernel}}\n",
      (configs / "hardware" / "a3_training.yaml").string(),
      (configs / "programs" / "hyperparallel_training.yaml").string(),
      (configs / "steps" / "a3.yaml").string(), (configs / "orders" / "published.yaml").string(), model);
}

// Returns the configuration of a step of inference on A3, as the shipped experiments of decode have it; experts on 8 dies, as
// when they run alone.
std::string inference_step_with(const std::string& model, bool dense) {
  const std::filesystem::path configs = configs_folder();
  return fmt::format(
      "include: ['{}', '{}', '{}', '{}', '{}']\n"
      "experiment: {{name: hf, workload: inference_step, execution: fused, communication: one_sided}}\n"
      "parallel: {{ep: {}}}\n",
      (configs / "hardware" / "a3_24_48.yaml").string(),
      (configs / "programs" / "cann_inference.yaml").string(),
      (configs / "steps" / "a3_inference.yaml").string(), (configs / "orders" / "ratr.yaml").string(), model,
      dense ? 1 : 8);
}

// Returns the configuration of a model file: its experts run as in hf.yaml, or all of it is trained or serves requests.
std::string model_text(const std::filesystem::path& file, std::span<const std::string> overrides) {
  const std::string model = file.filename().string();
  if (as_inference_step(overrides)) return inference_step_with(model, is_dense(file));
  if (as_training_step(file, overrides)) return training_step_with(model);
  return fmt::format("include: ['{}', '{}']\n", (configs_folder() / "experiments" / "hf.yaml").string(),
                     model);
}

// Returns the configuration of a training step that a launch script describes, on A3. The script's own values win over
// those of a model's config.json; `said`: what is not modelled, in place of what the script's reader says.
std::string launch_text(const std::filesystem::path& script, const std::filesystem::path& model,
                        const std::vector<std::string>& said) {
  const std::string base = (configs_folder() / "steps" / "launch_script.yaml").string();
  const std::string below =
      model.empty() ? "" : fmt::format("'{}', ", std::filesystem::absolute(model).string());
  std::string text = fmt::format("include: ['{}', {}'{}']\nexperiment: {{name: '{}'}}\n", base, below,
                                 script.filename().string(), script.stem().string());
  if (!said.empty()) text += "step:\n  not_modelled:\n";
  for (const std::string& line : said) text += fmt::format("    - {}\n", nlohmann::json(line).dump());
  return text;
}

// Returns the configuration that replays a folder of Chakra execution traces.
std::string chakra_text(const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  const std::filesystem::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  return fmt::format("include: ['{}']\nexperiment: {{name: '{}'}}\nkernel: {{folder: '{}'}}\n",
                     (configs_folder() / "steps" / "chakra.yaml").string(), name.string(), whole.string());
}

}  // namespace

Experiment load_launch(const std::filesystem::path& script, const std::filesystem::path& model,
                       std::span<const std::string> overrides) {
  const bool asked = std::ranges::any_of(
      overrides, [](const std::string& override) { return override.starts_with("model.layers="); });
  const std::vector<std::string> said =
      model.empty() || asked ? std::vector<std::string>() : layers_left_out(script, model);
  return parse_experiment(launch_text(script, model, said), script.string(), overrides);
}

Experiment load_experiment(const std::filesystem::path& file, std::span<const std::string> overrides) {
  if (is_chakra_folder(file)) return parse_experiment(chakra_text(file), file.string(), overrides);
  const ForeignConfig* const foreign = foreign_reader(file);
  if (foreign != nullptr && foreign->trains()) return load_launch(file, {}, overrides);
  if (foreign != nullptr) return parse_experiment(model_text(file, overrides), file.string(), overrides);
  Diagnostics diagnostics;
  const Config root = Config::load(file, overrides, diagnostics);
  if (diagnostics.empty()) refuse_part(root, file);
  refuse_job_blocks(root);
  return read_experiment(root, diagnostics);
}

Experiment parse_experiment(std::string_view text, const std::string& name,
                            std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  return read_experiment(Config::parse(text, name, overrides, diagnostics), diagnostics);
}

}  // namespace a3sim
