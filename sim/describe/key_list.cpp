#include "sim/describe/key_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/closest.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/describe/key_sentences.h"

namespace a3sim {
namespace {

bool holds_value(const KnownKey& key) {
  return key.forms.empty() || std::ranges::any_of(key.forms, [](const KeyForm& form) {
           return form.kind != KeyKind::kMap && form.kind != KeyKind::kMaps;
         });
}

// Calls visit(path, known) for every key and every block below a mapping.
template <class Visit>
void visit_below(const KeyTree& tree, const std::string& above, const Visit& visit) {
  const auto visit_key = [&](const std::string& path, const KnownKey& known) {
    visit(path, known);
    if (known.below) visit_below(*known.below, path + (known.below->list ? ".*." : "."), visit);
  };
  for (const auto& [name, known] : tree.keys) visit_key(above + name, known);
  if (tree.any) visit_key(above + '*', *tree.any);
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

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(file));
  for (std::string line; std::getline(text, line);) lines.push_back(std::move(line));
  return lines;
}

std::string without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

// Returns where a comment begins on the line: at a '#' after a blank, outside quotes.
std::size_t comment_in(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || (line[i] == '\'' && (i == 0 || line[i - 1] == ' '))) {
      quote = line[i];
    } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ')) {
      return i;
    }
  }
  return std::string_view::npos;
}

// Returns the comment in the lines right above the value and the one beside it.
std::string comment_at(const Mark& mark) {
  std::error_code error;
  if (mark.line == 0 || !std::filesystem::is_regular_file(mark.file, error)) return "";
  const std::vector<std::string> lines = lines_of(mark.file);
  if (mark.line > lines.size()) return "";
  std::string text;
  std::size_t first = mark.line - 1;
  while (first > 0 && without_blanks(lines[first - 1]).starts_with('#')) --first;
  for (std::size_t i = first; i < mark.line; ++i) {
    const std::size_t begin = comment_in(lines[i]);
    if (begin == std::string::npos) continue;
    const std::string words = without_blanks(std::string_view(lines[i]).substr(begin + 1));
    text += (text.empty() || words.empty() ? "" : " ") + words;
  }
  return text;
}

// Returns the place of a path's value, or nullopt if no file and no override has it.
std::optional<Mark> mark_of(const Config& map, std::string_view path) {
  const std::size_t end = path.find('.');
  const std::string_view key = path.substr(0, end);
  if (!map.has(key)) return std::nullopt;
  if (end == std::string_view::npos) return map.mark(key);
  std::string_view rest = path.substr(end + 1);
  if (map.is_map(key)) return mark_of(map.map(key), rest);
  const std::size_t item_end = std::min(rest.find('.'), rest.size());
  const std::string index(rest.substr(0, item_end));
  const std::vector<Config> items = map.maps(key);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (std::to_string(i) == index && item_end < rest.size())
      return mark_of(items[i], rest.substr(item_end + 1));
  }
  return map.mark(key);
}

}  // namespace

std::string ListedKey::expected() const {
  std::string text;
  for (const KeyForm& form : known->forms) text += (text.empty() ? "" : ", or ") + form.expected;
  return text;
}

std::string ListedKey::fallback() const { return known->fallback.value_or(""); }

std::vector<ListedKey> listed_keys(const KeyTree& tree) {
  std::vector<ListedKey> keys;
  visit_below(tree, "", [&](const std::string& path, const KnownKey& known) {
    if (holds_value(known)) keys.push_back({path, &known});
  });
  std::ranges::sort(keys, {}, &ListedKey::path);
  return keys;
}

std::vector<std::string> listed_blocks(const KeyTree& tree) {
  std::vector<std::string> blocks;
  visit_below(tree, "", [&](const std::string& path, const KnownKey& known) {
    if (known.below) blocks.push_back(path);
  });
  std::ranges::sort(blocks);
  return blocks;
}

const ListedKey* find_key(const std::vector<ListedKey>& keys, std::string_view path) {
  const ListedKey* found = nullptr;
  for (const ListedKey& key : keys) {
    if (key.path == path) return &key;
    if (found == nullptr && matches(key.path, path)) found = &key;
  }
  return found;
}

std::vector<ListedKey> keys_ending_in(const std::vector<ListedKey>& keys, std::string_view words) {
  std::vector<ListedKey> ending;
  for (const ListedKey& key : keys)
    if (key.path == words || key.path.ends_with(fmt::format(".{}", words))) ending.push_back(key);
  return ending;
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

ExplainedKey explain_key(std::string_view kind, const Document& document, const std::string& path,
                         const std::filesystem::path& file, std::span<const std::string> overrides) {
  const KeyTree& tree = known_keys(document);
  const std::vector<ListedKey> keys = listed_keys(tree);
  const ListedKey* const key = find_key(keys, path);
  if (key == nullptr)
    throw InputError(
        fmt::format("unknown key '{}'{}; 'a3sim config' lists all", path, meant_key(keys, path)));
  Diagnostics diagnostics;
  const Config root = Config::load(file, overrides, diagnostics);
  document.read(root, diagnostics, file);
  diagnostics.throw_if_any();
  ExplainedKey explained;
  explained.path = path;
  explained.meaning = meaning_of(kind, key->path);
  explained.expected = key->expected();
  explained.fallback = key->fallback();
  for (const auto& [known, value] : root.values()) {
    if (known == path) explained.value = value;
  }
  for (const SourcedValue& value : root.sourced()) {
    if (value.path != path) continue;
    explained.source = value.source;
    explained.note = value.note;
    explained.low = value.low;
    explained.high = value.high;
    explained.fitted = value.fitted;
  }
  const std::optional<Mark> mark = mark_of(root, path);
  if (mark) {
    explained.origin = mark->text();
    explained.comment = comment_at(*mark);
  } else if (explained.value) {
    explained.origin = "default";
  }
  return explained;
}

}  // namespace a3sim
