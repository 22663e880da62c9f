#include "sim/experiment/config/launch_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/core/config/foreign.h"
#include "sim/core/config/include.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Returns the file as the mapping of its own reader; nullptr if it has none, or errors, which are reported elsewhere.
std::unique_ptr<ConfigValue> mapping_of(const fs::path& file) {
  const std::string text = try_read_file(file, kLargestFile).text;
  for (const auto& [name, item] : ForeignConfigs::all()) {
    if (!item.object->takes(file, text)) continue;
    Diagnostics ignored;
    return item.object->read(text, {file.string(), 1, 1}, ignored);
  }
  return nullptr;
}

const ConfigValue* value_at(ConfigValue& tree, std::string_view block, std::string_view key) {
  ConfigValue::Entry* const in = tree.find(block);
  ConfigValue::Entry* const entry = in == nullptr ? nullptr : in->value->find(key);
  return entry == nullptr ? nullptr : entry->value.get();
}

std::vector<std::string> texts_of(const ConfigValue* list) {
  std::vector<std::string> texts;
  if (list != nullptr)
    for (const auto& item : list->items) texts.push_back(item->text);
  return texts;
}

// Whether a layer is one of those that launch scripts tell apart: "3 dense", "moe".
bool is_plain(const std::string& layer) {
  constexpr std::array<std::string_view, 5> kPlain{"embedding", "dense", "moe", "mtp", "head"};
  const std::string_view kind = std::string_view(layer).substr(layer.rfind(' ') + 1);
  return std::ranges::find(kPlain, kind) != kPlain.end();
}

// Returns what only the model's file says of its layers, which no script can say; empty if nothing.
std::string other_layers(ConfigValue& model) {
  if (const ConfigValue* const unknown = value_at(model, "model", "layers_unknown"))
    return unknown->text.substr(0, unknown->text.find(": --set"));
  const std::vector<std::string> layers = texts_of(value_at(model, "model", "layers"));
  if (std::ranges::all_of(layers, is_plain)) return {};
  return fmt::format("layers are [{}]", fmt::join(layers, ", "));
}

}  // namespace

std::vector<std::string> layers_left_out(const fs::path& script, const fs::path& model) {
  const std::unique_ptr<ConfigValue> own = mapping_of(script), of_model = mapping_of(model);
  if (own == nullptr || of_model == nullptr) return {};
  const std::vector<std::string> layers = texts_of(value_at(*own, "model", "layers"));
  const std::string other = other_layers(*of_model);
  if (layers.empty() || other.empty()) return {};
  std::vector<std::string> all = texts_of(value_at(*own, "step", "not_modelled"));
  all.push_back(
      fmt::format("{}: {}; the layers that run are those of the script, with full attention: [{}]; "
                  "--set model.layers=[...] takes others",
                  model.filename().string(), other, fmt::join(layers, ", ")));
  return all;
}

}  // namespace a3sim
