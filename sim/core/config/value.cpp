#include "sim/core/config/value.h"

#include <utility>

namespace a3sim {

std::unique_ptr<ConfigValue> ConfigValue::take(std::string_view key) {
  const auto it = index_.find(key);
  if (it == index_.end()) return nullptr;
  const std::size_t position = it->second;
  std::unique_ptr<ConfigValue> value = std::move(entries[position].value);
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(position));
  index_.erase(it);
  for (auto& [name, at] : index_) at -= at > position ? 1 : 0;
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
