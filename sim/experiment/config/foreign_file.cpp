#include "sim/experiment/config/foreign_file.h"

#include <fmt/format.h>

#include "sim/core/config/foreign.h"
#include "sim/core/config/include.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"

namespace a3sim {
namespace {

std::string one_line(const ConfigValue& value) {
  if (value.kind != ConfigValue::Kind::kList) return value.text;
  std::vector<std::string> items;
  for (const auto& item : value.items) items.push_back(item->text);
  return fmt::format("[{}]", fmt::join(items, ", "));
}

void add_values(const ConfigValue& value, const std::string& path, std::vector<ForeignValue>& values) {
  for (const ConfigValue::Entry& entry : value.entries) {
    const std::string key = path.empty() ? entry.key : path + '.' + entry.key;
    const ConfigValue& found = entry.value->is_sourced() ? *entry.value->find("value")->value : *entry.value;
    if (found.kind == ConfigValue::Kind::kMap)
      add_values(found, key, values);
    else
      values.push_back({key, one_line(found), found.mark, found.open});
  }
}

}  // namespace

ForeignFile read_foreign(const std::filesystem::path& file) {
  const std::string text = read_file(file, kLargestFile);
  for (const auto& [name, item] : ForeignConfigs::all()) {
    if (!item.object->takes(file, text)) continue;
    Diagnostics diagnostics;
    const std::unique_ptr<ConfigValue> tree = item.object->read(text, {file.string(), 1, 1}, diagnostics);
    diagnostics.throw_if_any();
    ForeignFile foreign{std::string(item.description), {}};
    if (tree != nullptr) add_values(*tree, "", foreign.values);
    return foreign;
  }
  throw InputError(
      fmt::format("{}: expected a launch script, a model's config.json or a rank table", file.string()));
}

}  // namespace a3sim
