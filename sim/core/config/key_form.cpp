#include "sim/core/config/key_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/core/config/quantity.h"
#include "sim/core/config/state.h"

namespace a3sim {
namespace {

constexpr const char* kDepends = "";  // fallbacks that differ

void merge_key(KnownKey& into, const KnownKey& other) {
  for (const KeyForm& form : other.forms) into.add(form);
  if (!into.fallback)
    into.fallback = other.fallback;
  else if (other.fallback && *into.fallback != *other.fallback)
    into.fallback = kDepends;
  if (!other.below) return;
  if (!into.below) into.below = std::make_unique<KeyTree>();
  into.below->merge(*other.below);
}

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
    if (!known.below->list) known.below->example = of_item.example;  // the example of the first
    known.below->list = true;
  }
  return known;
}

// Returns whether a value is the one that holds without it.
bool is_fallback(const ConfigValue& value, const KeyRecord& record) {
  const ConfigValue* const scalar = value.is_sourced() ? value.find("value")->value.get() : &value;
  return scalar->kind == ConfigValue::Kind::kScalar && record.fallback == scalar->text;
}

// A value without effect counts as one that no reader has read.
KeyTree tree_of(const ConfigValue& map) {
  KeyTree tree;
  if (map.names_open) tree.any = std::make_unique<KnownKey>();
  for (const auto& [key, record] : map.asked) {
    const ConfigValue::Entry* const entry = map.find(key);
    KnownKey known = known_of(record, entry == nullptr ? nullptr : entry->value.get());
    if (entry != nullptr && entry->is_default) known.present = false;
    if (known.present && map.stood.contains(key) && !is_fallback(*entry->value, record)) known.forms.clear();
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

void KeyRecord::add(const KeyForm& form) {
  const auto same = std::ranges::find_if(
      forms, [&](const KeyForm& known) { return known.kind == form.kind && known.pattern == form.pattern; });
  if (same == forms.end()) {
    forms.push_back(form);
    return;
  }
  if (*same == form) return;
  const KeyForm none;
  KeyForm& known = *same;
  if (known.least != form.least) known.least = none.least;
  if (known.most != form.most) known.most = none.most;
  if (known.low != form.low) known.low = none.low;
  if (known.high != form.high) known.high = none.high;
  if (known.kind == KeyKind::kInteger)
    known.expected = known.least == none.least ? "an integer" : expected_integer(known.least, known.most);
  if (known.kind == KeyKind::kNumber) known.expected = expected_number(known.low, known.high);
  for (const std::string& name : form.names) {
    if (std::ranges::find(known.names, name) == known.names.end()) known.names.push_back(name);
  }
  if (known.kind == KeyKind::kChoice) known.expected = fmt::format("one of {}", fmt::join(known.names, ", "));
}

void KeyTree::merge(const KeyTree& other) {
  list |= other.list;
  for (const auto& [name, known] : other.keys) merge_key(keys[name], known);
  if (!other.any) return;
  if (!any) any = std::make_unique<KnownKey>();
  merge_key(*any, *other.any);
}

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
