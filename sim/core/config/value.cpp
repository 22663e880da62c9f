#include "sim/core/config/value.h"

#include <utility>

namespace a3sim {
namespace {

constexpr std::size_t kFewKeys = 16;  // are found by looking at each

}  // namespace

std::size_t ConfigValue::place_of(std::string_view key) const {
  if (entries.size() > kFewKeys) {
    const auto it = index_.find(key);
    return it == index_.end() ? entries.size() : it->second;
  }
  std::size_t place = 0;
  while (place < entries.size() && entries[place].key != key) ++place;
  return place;
}

ConfigValue::Entry& ConfigValue::add(std::string key, Mark key_mark, std::unique_ptr<ConfigValue> value) {
  kind = Kind::kMap;
  entries.push_back({.key = std::move(key), .key_mark = std::move(key_mark), .value = std::move(value)});
  if (entries.size() > kFewKeys)
    for (std::size_t place = index_.size(); place < entries.size(); ++place)
      index_.emplace(entries[place].key, place);
  return entries.back();
}

std::unique_ptr<ConfigValue> ConfigValue::take(std::string_view key) {
  const std::size_t position = place_of(key);
  if (position == entries.size()) return nullptr;
  std::unique_ptr<ConfigValue> value = std::move(entries[position].value);
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(position));
  index_.clear();
  if (entries.size() > kFewKeys)
    for (std::size_t place = 0; place < entries.size(); ++place) index_.emplace(entries[place].key, place);
  return value;
}

std::unique_ptr<ConfigValue> ConfigValue::scalar(std::string text, Mark mark) {
  auto value = std::make_unique<ConfigValue>();
  value->kind = Kind::kScalar;
  value->text = std::move(text);
  value->mark = std::move(mark);
  return value;
}

std::unique_ptr<ConfigValue> ConfigValue::as_read() const {
  auto same = scalar(text, mark);
  same->kind = kind;
  same->whole = whole;
  same->open = open;
  same->items.reserve(items.size());
  same->entries.reserve(entries.size());
  for (const auto& item : items) same->items.push_back(item->as_read());
  for (const Entry& entry : entries) {
    if (!entry.is_default) same->add(entry.key, entry.key_mark, entry.value->as_read());
  }
  return same;
}

void ConfigValue::refuse_open(const std::string& path, Diagnostics& diagnostics) const {
  if (!open.empty()) diagnostics.error(mark, path, open);
  for (const Entry& entry : entries)
    if (entry.value != nullptr)
      entry.value->refuse_open(path.empty() ? entry.key : path + '.' + entry.key, diagnostics);
}

void ConfigValue::add_source(std::string_view source) {
  auto value = scalar(std::exchange(text, {}), mark);
  add("value", mark, std::move(value));
  add("source", mark, scalar(std::string(source), mark));
  opened = true;
  asked = {{"value", {}}, {"source", {}}};
}

std::string ConfigValue::description() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return "'" + text + "'";
    case Kind::kList:
      return "a list";
    default:
      return "a mapping";
  }
}

}  // namespace a3sim
