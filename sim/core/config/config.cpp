#include "sim/core/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/core/closest.h"
#include "sim/core/config/state.h"
#include "sim/core/config/yaml_writer.h"

namespace a3sim {
namespace {

using Kind = ConfigValue::Kind;

std::string join(std::string_view path, std::string_view key) {
  std::string all(path);
  if (!all.empty()) all += '.';
  return all += key;
}

std::unique_ptr<ConfigValue> empty_map(const Mark& mark, bool broken) {
  auto value = std::make_unique<ConfigValue>();
  value->kind = Kind::kMap;
  value->mark = mark;
  value->broken = broken;
  return value;
}

void note_unknown(const ConfigValue& map, ConfigValue::Entry& entry, const std::string& path,
                  Diagnostics& diagnostics) {
  if (std::exchange(entry.reported, true)) return;
  std::vector<std::string> known;
  for (const auto& [key, record] : map.asked) known.push_back(key);
  diagnostics.error(
      entry.key_mark, path,
      known.empty() ? "unknown key, expected none here" : "unknown key" + suggestion(entry.key, known));
}

void finish_below(ConfigValue& value, const std::string& path, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    finish_below(*value.items[i], join(path, std::to_string(i)), diagnostics);
  }
  if (!value.opened) return;
  for (ConfigValue::Entry& entry : value.entries) {
    if (!value.asked.contains(entry.key)) {
      note_unknown(value, entry, join(path, entry.key), diagnostics);
    } else if (entry.value->kind != Kind::kScalar) {
      finish_below(*entry.value, join(path, entry.key), diagnostics);
    }
  }
}

std::string text_of(ConfigValue& map, std::string_view key) {
  const ConfigValue::Entry* const entry = map.find(key);
  return entry == nullptr ? "" : entry->value->text;
}

void collect_sourced(ConfigValue& value, const std::string& path, std::vector<SourcedValue>& found) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    collect_sourced(*value.items[i], join(path, std::to_string(i)), found);
  }
  if (!value.is_sourced()) {
    for (const auto& entry : value.entries) collect_sourced(*entry.value, join(path, entry.key), found);
    return;
  }
  SourcedValue sourced{.path = path,
                       .mark = value.mark,
                       .value = text_of(value, "value"),
                       .source = text_of(value, "source"),
                       .note = text_of(value, "note"),
                       .low = {},
                       .high = {},
                       .value_mark = value.find("value")->value->mark,
                       .fitted = text_of(value, "fitted") == "true"};
  if (const auto* range = value.find("range"); range != nullptr && range->value->items.size() == 2) {
    sourced.low = range->value->items[0]->text;
    sourced.high = range->value->items[1]->text;
  }
  found.push_back(std::move(sourced));
}

void collect_values(ConfigValue& value, const std::string& path,
                    std::vector<std::pair<std::string, std::string>>& found) {
  if (value.is_sourced()) {
    found.emplace_back(path, text_of(value, "value"));
  } else if (value.kind == Kind::kMap) {
    for (const auto& entry : value.entries) collect_values(*entry.value, join(path, entry.key), found);
  } else {
    found.emplace_back(path, write_yaml_line(value));
  }
}

}  // namespace

Config::Config(std::shared_ptr<State> state, ConfigValue* value, std::string path, bool sources)
    : state_(std::move(state)), value_(value), path_(std::move(path)), sources_(sources) {
  value_->opened = true;
}

ConfigValue* Config::present(std::string_view key) const {
  value_->asked.try_emplace(std::string(key));
  const ConfigValue::Entry* const entry = value_->find(key);
  return entry == nullptr || entry->is_default ? nullptr : entry->value.get();
}

bool Config::has(std::string_view key) const { return present(key) != nullptr; }

Mark Config::mark() const { return value_->mark; }

Mark Config::mark(std::string_view key) const {
  const ConfigValue::Entry* const entry = value_->find(key);
  return entry == nullptr || entry->is_default ? value_->mark : entry->value->mark;
}

std::string Config::path(std::string_view key) const { return join(path_, key); }

std::vector<std::string> Config::keys() const {
  std::vector<std::string> names;
  for (const ConfigValue::Entry& entry : value_->entries) {
    if (!entry.is_default) names.push_back(entry.key);
  }
  return names;
}

void Config::error(std::string_view key, std::string_view message) const {
  const ConfigValue::Entry* const entry = value_->find(key);
  const bool absent = entry == nullptr || entry->is_default;
  if (absent && (state_->broken || value_->broken)) return;
  note(mark(key), key, message);
}

bool Config::is_wrong(std::string_view key) const { return state_->diagnostics.about(path(key)); }

void Config::note(const Mark& mark, std::string_view key, std::string_view message) const {
  state_->diagnostics.error(mark, path(key), message);
}

void Config::note_missing(std::string_view key, std::string_view expected) const {
  if (state_->broken || value_->broken) return;
  note(value_->mark, key, fmt::format("missing, expected {}", expected));
}

std::vector<std::string> Config::names(std::initializer_list<std::string_view> fixed) const {
  value_->names_open = true;
  std::vector<std::string> names = keys();
  std::erase_if(names, [&](const std::string& name) {
    return std::find(fixed.begin(), fixed.end(), name) != fixed.end();
  });
  for (const std::string& name : names) value_->asked[name].named = true;
  return names;
}

void Config::let_stand(std::string_view key) const {
  if (value_->find(key) == nullptr) return;
  static_cast<void>(has(key));
  value_->stood.emplace(key);
}

void Config::take(std::string_view key, KeyForm form, std::optional<std::string> fallback) const {
  KeyRecord& record = value_->asked[std::string(key)];
  record.add(form);
  if (fallback) record.fallback = std::move(fallback);
}

bool Config::is_map(std::string_view key) const {
  take(key, {.kind = KeyKind::kMap, .expected = "a mapping"});
  const ConfigValue* value = present(key);
  return value != nullptr && value->kind == Kind::kMap;
}

Config Config::map(std::string_view key) const {
  take(key, {.kind = KeyKind::kMap, .expected = "a mapping"});
  ConfigValue::Entry* entry = value_->find(key);
  if (entry == nullptr) {
    entry = &value_->add(std::string(key), value_->mark, empty_map(value_->mark, value_->broken));
    entry->is_default = true;
  }
  ConfigValue* value = entry->value.get();
  if (value->kind == Kind::kNull) value->kind = Kind::kMap;
  if (value->kind != Kind::kMap) {
    error(key, fmt::format("{}, expected a mapping", value->description()));
    state_->stand_ins.push_back(empty_map(value->mark, true));
    value = state_->stand_ins.back().get();
  }
  return Config(state_, value, path(key), sources_);
}

std::vector<Config> Config::maps(std::string_view key) const {
  std::vector<Config> result;
  take(key, {.kind = KeyKind::kMaps, .expected = "a list of mappings"});
  const ConfigValue* const list = present(key);
  if (list == nullptr) return result;
  if (list->kind != Kind::kList) {
    error(key, fmt::format("{}, expected a list of mappings", list->description()));
    return result;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    ConfigValue* const item = list->items[i].get();
    const std::string item_path = join(path(key), std::to_string(i));
    if (item->kind == Kind::kMap) {
      result.push_back(Config(state_, item, item_path, sources_));
    } else {
      state_->diagnostics.error(item->mark, item_path,
                                fmt::format("{}, expected a mapping", item->description()));
    }
  }
  return result;
}

std::string Config::yaml(std::string_view key) const {
  take(key, {.kind = KeyKind::kAnything, .expected = "any YAML"});
  const ConfigValue* const value = present(key);
  if (value != nullptr) return write_yaml_line(*value);
  note_missing(key, "a value");
  return {};
}

std::vector<std::pair<std::string, Mark>> Config::yaml_items(std::string_view key) const {
  std::vector<std::pair<std::string, Mark>> result;
  take(key, {.kind = KeyKind::kList, .expected = "a list"});
  const ConfigValue* const list = present(key);
  if (list == nullptr) return result;
  if (list->kind != Kind::kList) error(key, fmt::format("{}, expected a list", list->description()));
  for (const auto& item : list->items) result.emplace_back(write_yaml_line(*item), item->mark);
  return result;
}

Config Config::with_sources(bool sources) const { return Config(state_, value_, path_, sources); }

std::vector<SourcedValue> Config::sourced() const {
  std::vector<SourcedValue> found;
  collect_sourced(*value_, path_, found);
  return found;
}

std::vector<std::pair<std::string, std::string>> Config::values() const {
  std::vector<std::pair<std::string, std::string>> found;
  collect_values(*value_, path_, found);
  return found;
}

void Config::throw_if_any() const { state_->diagnostics.throw_if_any(); }

void Config::finish() const { finish_below(*value_, path_, state_->diagnostics); }

}  // namespace a3sim
