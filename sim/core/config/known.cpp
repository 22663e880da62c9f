#include <memory>
#include <utility>

#include "sim/core/config/state.h"

namespace a3sim {
namespace {

KeyTree tree_of(const ConfigValue& map);

KnownKey known_of(const KeyRecord& record, const ConfigValue* value) {
  KnownKey known{record, nullptr, value != nullptr};
  if (value == nullptr) return known;
  if (value->kind == ConfigValue::Kind::kMap && value->opened && !value->is_sourced())
    known.below = std::make_unique<KeyTree>(tree_of(*value));
  for (const auto& item : value->items) {
    if (item->kind != ConfigValue::Kind::kMap || !item->opened) continue;
    if (!known.below) known.below = std::make_unique<KeyTree>();
    const KeyTree of_item = tree_of(*item);
    known.below->merge(of_item);
    if (!known.below->list) known.below->example = of_item.example;  // of the first
    known.below->list = true;
  }
  return known;
}

KeyTree tree_of(const ConfigValue& map) {
  KeyTree tree;
  if (map.names_open) tree.any = std::make_unique<KnownKey>();
  for (const auto& [key, record] : map.asked) {
    const ConfigValue::Entry* const entry = map.find(key);
    KnownKey known = known_of(record, entry == nullptr ? nullptr : entry->value.get());
    if (entry != nullptr && entry->is_default) known.present = false;
    if (record.named) {
      KeyTree one;
      one.any = std::make_unique<KnownKey>(std::move(known));
      tree.merge(one);
      tree.any->present = true;
      tree.example = key;
    } else {
      tree.keys.emplace(key, std::move(known));
    }
  }
  return tree;
}

}  // namespace

KeyTree Config::known() const {
  KeyTree tree = tree_of(*value_);
  if (!path_.empty()) return tree;
  KnownKey include;
  include.add({.kind = KeyKind::kPath, .expected = "a file that this one is laid over"});
  include.add({.kind = KeyKind::kTexts, .expected = "files, a later one over an earlier one"});
  tree.keys.emplace("include", std::move(include));
  return tree;
}

}  // namespace a3sim
