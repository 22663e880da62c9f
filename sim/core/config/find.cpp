#include <fmt/format.h>

#include "sim/core/config/state.h"

namespace a3sim {

using Kind = ConfigValue::Kind;

Config::Found Config::find(std::string_view key, std::string_view expected) const {
  Found found{present(key), nullptr};
  if (found.scalar == nullptr) {
    note_missing(key, expected);
    return found;
  }
  if (found.scalar->kind == Kind::kMap) return unwrap(key, expected, found) ? found : Found{};
  if (found.scalar->kind != Kind::kScalar) {
    error(key, fmt::format("{}, expected {}", found.scalar->description(), expected));
    return {};
  }
  if (sources_) {
    found.source = found.scalar;
    found.source->add_source(found.scalar->mark.file == kOverrideFile ? kOverrideFile : kNotStated);
    found.scalar = found.source->find("value")->value.get();
  }
  return found;
}

// Goes from `{value: ..., source: ...}` to the value.
bool Config::unwrap(std::string_view key, std::string_view expected, Found& found) const {
  found.source = found.scalar;
  if (!found.source->is_sourced()) {
    error(key, fmt::format("a mapping without 'value', expected {}", expected));
    return false;
  }
  const Config inside(state_, found.source, path(key), false);
  bool readable = true;
  for (const std::string_view text : {"value", "source", "note", "measure"}) {
    const ConfigValue* const part = inside.present(text);
    if (part == nullptr || (part->kind == Kind::kScalar && !part->text.empty())) continue;
    inside.error(text,
                 fmt::format("{}, expected {}", part->description(), text == "value" ? expected : "a text"));
    readable = readable && text != "value";
  }
  const bool ranged = inside.has("range"), fitted = inside.has("fitted") && inside.boolean("fitted", false);
  if (fitted && !ranged)
    inside.error("fitted", "true, expected a range beside it that the value is fitted in");
  if (!readable) return false;
  found.scalar = inside.present("value");
  return true;
}

// Stores the fallback of an absent key for resolved().
void Config::set_default(std::string_view key, std::string text) const {
  ConfigValue::Entry* entry = value_->find(key);
  if (entry == nullptr) {
    entry = &value_->add(std::string(key), value_->mark, nullptr);
    entry->is_default = true;
  }
  entry->value = ConfigValue::scalar(std::move(text), value_->mark);
  if (sources_) entry->value->add_source("default");
}

}  // namespace a3sim
