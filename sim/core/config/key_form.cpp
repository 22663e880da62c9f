#include "sim/core/config/key_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/core/config/quantity.h"

namespace a3sim {
namespace {

constexpr const char* kDepends = "";  // where fallbacks differ

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

}  // namespace

void KeyRecord::add(const KeyForm& form) {
  const auto same = std::ranges::find_if(
      forms, [&](const KeyForm& of) { return of.kind == form.kind && of.pattern == form.pattern; });
  if (same == forms.end()) {
    forms.push_back(form);
    return;
  }
  if (*same == form) return;
  const KeyForm none;
  KeyForm& of = *same;
  of.needs_source &= form.needs_source;
  if (of.least != form.least) of.least = none.least;
  if (of.most != form.most) of.most = none.most;
  if (of.low != form.low) of.low = none.low;
  if (of.high != form.high) of.high = none.high;
  if (of.kind == KeyKind::kInteger)
    of.expected = of.least == none.least ? "an integer" : expected_integer(of.least, of.most);
  if (of.kind == KeyKind::kNumber) of.expected = expected_number(of.low, of.high);
  for (const std::string& name : form.names) {
    if (std::ranges::find(of.names, name) == of.names.end()) of.names.push_back(name);
  }
  if (of.kind == KeyKind::kChoice) of.expected = fmt::format("one of {}", fmt::join(of.names, ", "));
}

void KeyTree::merge(const KeyTree& other) {
  list |= other.list;
  for (const auto& [name, known] : other.keys) merge_key(keys[name], known);
  if (!other.any) return;
  if (!any) any = std::make_unique<KnownKey>();
  merge_key(*any, *other.any);
}

}  // namespace a3sim
