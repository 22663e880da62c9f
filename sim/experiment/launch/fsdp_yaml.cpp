#include "sim/experiment/launch/fsdp_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "sim/core/config/yaml_reader.h"
#include "sim/experiment/launch/launch_reader.h"

namespace a3sim {
namespace {

using enum ArgumentFate;
using Kind = ConfigValue::Kind;

// Keys of the blocks that are not all alike; those of `data`, `training` and `model` that are not here do not matter.
constexpr std::pair<std::string_view, ArgumentFate> kKeys[] = {
    {"data.cutoff_len", kUsed},
    {"data.packing", kNotModelled},
    {"data.neat_packing", kNotModelled},
    {"training.per_device_train_batch_size", kUsed},
    {"training.gradient_accumulation_steps", kUsed},
    {"training.bf16", kUsed},
    {"training.fp16", kUsed},
    {"training.fp8", kNotModelled},
    {"parallel.fsdp_modules", kUsed},
    {"parallel.fsdp_size", kUsed},
    {"parallel.ep_modules", kDoesNotMatter},
    {"parallel.ep_size", kUsed},
    {"parallel.ep_fsdp_modules", kDoesNotMatter},
    {"parallel.ep_fsdp_size", kNotModelled},
    {"parallel.ep_dispatcher", kNotModelled},
    {"parallel.tp_size", kUsed},
    {"parallel.cp_size", kUsed},
    {"parallel.cp_type", kUsed},
    {"parallel.recompute", kUsed},
    {"parallel.recompute_modules", kUsed},
    {"parallel.reduce_dtype", kUsed},
    {"parallel.param_dtype", kDoesNotMatter},
    {"parallel.prefetch", kNotModelled},
    {"parallel.num_to_forward_prefetch", kNotModelled},
    {"parallel.num_to_backward_prefetch", kNotModelled},
    {"parallel.reshard_after_forward", kNotModelled},
    {"parallel.cpu_offload", kNotModelled},
};

ArgumentFate fate_of(std::string_view key) {
  for (const auto& [name, fate] : kKeys)
    if (name == key) return fate;
  const bool plain = key.starts_with("data.") || key.starts_with("training.") || key.starts_with("model.");
  return plain ? kDoesNotMatter : kUnknown;
}

std::string_view meaning_of(ArgumentFate fate) {
  return fate == kUsed            ? "layout, batches and recompute"
         : fate == kDoesNotMatter ? "data, checkpoints and numbers of the optimizer"
         : fate == kNotModelled
             ? "when weights are gathered, rows dispatched or samples packed is as the block step says"
             : "";
}

void flatten(const ConfigValue& value, const std::string& path, std::vector<LaunchArgument>& all) {
  for (const ConfigValue::Entry& entry : value.entries) {
    const std::string key = path.empty() ? entry.key : path + '.' + entry.key;
    if (entry.value->kind == Kind::kMap) {
      flatten(*entry.value, key, all);
      continue;
    }
    LaunchArgument& argument = all.emplace_back();
    argument.name = key;
    argument.mark = entry.key_mark;
    if (entry.value->kind == Kind::kScalar)
      argument.values.push_back({entry.value->text, entry.value->mark, ""});
    for (const auto& item : entry.value->items)
      if (item->kind == Kind::kScalar) argument.values.push_back({item->text, item->mark, ""});
    argument.fate = fate_of(key);
    argument.what = meaning_of(argument.fate);
  }
}

class FsdpReader {
 public:
  explicit FsdpReader(LaunchReader& reader) : reader_(reader) {}

  void read() {
    for (const char* key : {"model.hidden", "model.layers", "model.vocabulary", "model.attention.heads"})
      reader_.open(key,
                   fmt::format("a file of the FSDP2 trainer has no sizes of its model: --hf config.json "
                               "gives them, or --set {}=N",
                               key),
                   reader_.start());
    reader_.open("parallel.dies", "the file does not say how many dies run it: --set parallel.dies=N",
                 reader_.start());
    copy("parallel.tp_size", "parallel.tp");
    copy("parallel.cp_size", "parallel.cp");
    read_context();
    if (reader_.has("parallel.ep_size"))
      copy("parallel.ep_size", "parallel.ep");
    else if (reader_.has("parallel.ep_modules"))
      reader_.open("parallel.ep",
                   "experts are spread (ep_modules), and the file does not say over how many dies: --set "
                   "parallel.ep=N",
                   reader_.mark("parallel.ep_modules"));
    read_batches();
    read_recompute();
    reader_.set("step.fsdp", "true", reader_.mark("parallel.fsdp_modules"));
    reader_.set("step.dp_overlap", "both", reader_.mark("parallel.fsdp_modules"));
    if (reader_.text("parallel.reduce_dtype", "step.reduce_bytes") == "bf16")
      reader_.set("step.reduce_bytes", 2, reader_.value_mark("parallel.reduce_dtype"));
    reader_.set("step.over_capacity", "true", reader_.start());
  }

 private:
  void copy(const char* name, const char* key) { reader_.copy(name, key); }

  void read_context() {
    const auto cp = reader_.whole_or("parallel.cp_size", "parallel.cp", 1);
    if (!cp || *cp <= 1) return;
    const auto kind = reader_.text("parallel.cp_type", "step.cp_exchange");
    if (kind == "ulysses" || kind == "ring")
      return reader_.set("step.cp_exchange", *kind, reader_.value_mark("parallel.cp_type"));
    reader_.open(
        "step.cp_exchange",
        fmt::format("cp_type {}: --set step.cp_exchange=ring or ulysses", kind.value_or("is not stated")),
        reader_.value_mark("parallel.cp_type"));
  }

  void read_batches() {
    if (reader_.has("data.cutoff_len"))
      copy("data.cutoff_len", "step.sequence");
    else
      reader_.open("step.sequence", "the file has no data.cutoff_len: --set step.sequence=N",
                   reader_.start());
    if (reader_.has("training.per_device_train_batch_size"))
      copy("training.per_device_train_batch_size", "step.micro_batch");
    else
      reader_.open("step.micro_batch",
                   "the file has no training.per_device_train_batch_size: --set step.micro_batch=N",
                   reader_.start());
    reader_.open("step.global_batch",
                 "samples of a step are those of a micro-batch times gradient_accumulation_steps times "
                 "data-parallel ranks: --set "
                 "step.global_batch=N",
                 reader_.mark("training.gradient_accumulation_steps"));
  }

  void read_recompute() {
    if (!reader_.flag("parallel.recompute")) return;
    const LaunchArgument* const modules = reader_.find("parallel.recompute_modules");
    const Mark mark = reader_.mark("parallel.recompute");
    if (modules == nullptr ||
        (modules->values.size() == 1 && modules->values.front().text.ends_with("layers.{*}")))
      return reader_.set_list("step.recompute", {{"all", mark}});
    reader_.open(
        "step.recompute",
        "recompute_modules names parts of layers: --set step.recompute=[all], or a list of norm, activation, "
        "attention_up, mlp, moe",
        modules->mark);
  }

  LaunchReader& reader_;
};

}  // namespace

// No configuration of ours has such a key.
bool is_fsdp_yaml(std::string_view file, std::string_view text) {
  return (file.ends_with(".yaml") || file.ends_with(".yml")) &&
         text.find("fsdp_modules:") != std::string_view::npos;
}

LaunchScript read_fsdp_yaml(std::string_view text, const Mark& start, Diagnostics& diagnostics) {
  LaunchScript script;
  const std::unique_ptr<ConfigValue> yaml = read_yaml(text, start, diagnostics);
  if (yaml == nullptr) return script;
  if (yaml->kind != Kind::kMap) {
    diagnostics.error(start, "", "no mapping of keys, expected a file of the FSDP2 trainer");
    return script;
  }
  flatten(*yaml, "", script.arguments);
  LaunchReader reader(script, {start.file, 0, 0}, diagnostics);
  FsdpReader(reader).read();
  reader.finish();
  if (!diagnostics.empty()) script.config = nullptr;
  return script;
}

}  // namespace a3sim
