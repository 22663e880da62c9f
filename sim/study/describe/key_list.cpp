#include "sim/study/describe/key_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/closest.h"

namespace a3sim {
namespace {

bool holds_value(const KnownKey& key) {
  return key.forms.empty() || std::ranges::any_of(key.forms, [](const KeyForm& form) {
           return form.kind != KeyKind::kMap && form.kind != KeyKind::kMaps;
         });
}

void add_key(const KnownKey& known, const std::string& path, std::vector<ListedKey>& keys);

void add_below(const KeyTree& tree, const std::string& above, std::vector<ListedKey>& keys) {
  for (const auto& [name, known] : tree.keys) add_key(known, above + name, keys);
  if (tree.any) add_key(*tree.any, above + '*', keys);
}

void add_key(const KnownKey& known, const std::string& path, std::vector<ListedKey>& keys) {
  if (holds_value(known)) keys.push_back({path, &known});
  if (known.below) add_below(*known.below, path + (known.below->list ? ".*." : "."), keys);
}

bool matches(std::string_view pattern, std::string_view path) {
  while (true) {
    const std::size_t p = std::min(pattern.find('.'), pattern.size()),
                      q = std::min(path.find('.'), path.size());
    if (pattern.substr(0, p) != "*" && pattern.substr(0, p) != path.substr(0, q)) return false;
    if (p == pattern.size() || q == path.size()) return p == pattern.size() && q == path.size();
    pattern.remove_prefix(p + 1);
    path.remove_prefix(q + 1);
  }
}

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

std::string ListedKey::expected() const {
  std::string text;
  for (const KeyForm& form : known->forms) text += (text.empty() ? "" : ", or ") + form.expected;
  return text;
}

std::string ListedKey::fallback() const { return known->fallback.value_or(""); }

std::vector<ListedKey> listed_keys(const KeyTree& tree) {
  std::vector<ListedKey> keys;
  add_below(tree, "", keys);
  std::ranges::sort(keys, {}, &ListedKey::path);
  return keys;
}

const ListedKey* find_key(const std::vector<ListedKey>& keys, std::string_view path) {
  const ListedKey* found = nullptr;
  for (const ListedKey& key : keys) {
    if (key.path == path) return &key;
    if (found == nullptr && matches(key.path, path)) found = &key;
  }
  return found;
}

std::string meant_key(const std::vector<ListedKey>& keys, std::string_view path) {
  constexpr std::size_t kMostMeant = 5;
  std::vector<std::string> paths, ending, last;
  for (const ListedKey& key : keys) {
    paths.push_back(key.path);
    if (key.path.ends_with(fmt::format(".{}", path))) ending.push_back(key.path);
    if (last_of(key.path) == last_of(path)) last.push_back(key.path);
  }
  std::vector<std::string>& meant = ending.empty() ? last : ending;
  const std::string_view near = closest(path, paths);
  if (!near.empty()) return fmt::format("; did you mean '{}'?", near);
  if (meant.empty()) {
    std::vector<std::string> names;
    for (const std::string& known : paths) names.emplace_back(last_of(known));
    const std::string_view name = closest(last_of(path), names);
    for (const std::string& known : paths) {
      if (!name.empty() && last_of(known) == name) meant.push_back(known);
    }
  }
  if (meant.empty()) return "";
  meant.resize(std::min(meant.size(), kMostMeant));
  return fmt::format("; did you mean '{}'?", fmt::join(meant, "', or '"));
}

}  // namespace a3sim
