#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/include.h"
#include "sim/core/config/quantity.h"
#include "sim/core/config/state.h"
#include "sim/core/config/yaml_reader.h"
#include "sim/core/config/yaml_writer.h"

namespace a3sim {
namespace {

using Kind = ConfigValue::Kind;

// Puts one value into the tree.
class KeyOverride {
 public:
  KeyOverride(std::string_view path, const Mark& mark, Diagnostics& diagnostics)
      : path_(path), mark_(mark), diagnostics_(diagnostics) {}

  bool apply(ConfigValue& root, std::unique_ptr<ConfigValue> value) {
    ConfigValue* node = &root;
    std::size_t start = 0;
    for (std::uint32_t depth = 0; depth < kDeepestNesting; ++depth) {
      const std::size_t end = std::min(path_.find('.', start), path_.size());
      const std::string_view key = path_.substr(start, end - start);
      if (key.empty()) return wrong("an empty key in the path, expected path.to.key=value");
      std::unique_ptr<ConfigValue>* const slot = find_slot(*node, key, path_.substr(0, start));
      if (slot == nullptr) return false;
      if (end == path_.size()) {
        *slot = std::move(value);
        return true;
      }
      node = slot->get();
      start = end + 1;
    }
    return wrong(fmt::format("nested too deeply, expected at most {} levels", kDeepestNesting));
  }

 private:
  // Returns the entry of `key` in `node`, creating it if needed, or nullptr if `node` cannot have it.
  std::unique_ptr<ConfigValue>* find_slot(ConfigValue& node, std::string_view key, std::string_view above) {
    if (node.kind == Kind::kList) return find_item(node, key, above);
    if (node.kind == Kind::kScalar) {
      wrong(fmt::format("'{}' is the value '{}', expected a mapping there", above.substr(0, above.size() - 1),
                        node.text));
      return nullptr;
    }
    node.kind = Kind::kMap;
    if (ConfigValue::Entry* const entry = node.find(key)) return &entry->value;
    auto value = std::make_unique<ConfigValue>();
    value->mark = mark_;
    return &node.add(std::string(key), mark_, std::move(value)).value;
  }

  std::unique_ptr<ConfigValue>* find_item(ConfigValue& list, std::string_view key, std::string_view above) {
    const auto size = static_cast<std::int64_t>(list.items.size());
    const Parsed<std::int64_t> index = parse_integer(key, 0, size - 1);
    if (index.error.empty()) return &list.items[static_cast<std::size_t>(index.value)];
    const std::string_view name = above.substr(0, above.size() - 1);
    wrong(size == 0 ? fmt::format("'{}' is an empty list, expected a list with a position '{}'", name, key)
                    : fmt::format("'{}' is a list of {}, expected a position from 0 to {} instead of '{}'",
                                  name, size, size - 1, key));
    return nullptr;
  }

  bool wrong(std::string_view message) {
    diagnostics_.error(mark_, path_, message);
    return false;
  }

  std::string_view path_;
  const Mark& mark_;
  Diagnostics& diagnostics_;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// Applies `path.to.key=value`, override `number` (from 1) of the command line. Returns false after noting an
// error.
bool apply_override(ConfigValue& root, std::string_view override, std::uint32_t number,
                    Diagnostics& diagnostics) {
  const std::string file(kOverrideFile);
  const Mark mark{file, number, 1};
  const std::size_t equals = override.find('=');
  if (equals == std::string_view::npos) {
    diagnostics.error(mark, "", fmt::format("'{}' has no '=', expected path.to.key=value", override));
    return false;
  }
  const std::string_view path = trimmed(override.substr(0, equals));
  const Mark start{file, number, static_cast<std::uint32_t>(equals + 2)};
  std::unique_ptr<ConfigValue> value = read_yaml(override.substr(equals + 1), start, diagnostics);
  if (value == nullptr) return false;
  if (value->kind == Kind::kNull) {
    diagnostics.error(start, path, "no value, expected path.to.key=value");
    return false;
  }
  return KeyOverride(path, mark, diagnostics).apply(root, std::move(value));
}

using Taken = std::function<bool(std::string_view)>;

bool is_block(const ConfigValue& value) { return value.kind == Kind::kMap && !value.is_sourced(); }

// Takes paths of values, not of blocks: a block without any value left or taken does not exist.
void take_over(ConfigValue& base, ConfigValue& other, const std::string& above, const Taken& taken) {
  ConfigValue nothing;
  nothing.kind = Kind::kMap;
  std::vector<std::string> gone;
  for (ConfigValue::Entry& entry : base.entries) {
    if (other.find(entry.key)) continue;
    if (is_block(*entry.value)) {
      const bool had_any = !entry.value->entries.empty();
      take_over(*entry.value, nothing, above + entry.key + '.', taken);
      if (had_any && entry.value->entries.empty()) gone.push_back(entry.key);
    } else if (taken(above + entry.key)) {
      gone.push_back(entry.key);
    }
  }
  for (const std::string& key : gone) base.take(key);
  for (ConfigValue::Entry& entry : other.entries) {
    ConfigValue::Entry* own = base.find(entry.key);
    if (is_block(*entry.value)) {
      if (!own) {
        auto block = std::make_unique<ConfigValue>();
        block->mark = entry.value->mark;
        block->kind = Kind::kMap;
        take_over(*block, *entry.value, above + entry.key + '.', taken);
        if (!block->entries.empty()) base.add(entry.key, entry.key_mark, std::move(block));
      } else if (is_block(*own->value)) {
        take_over(*own->value, *entry.value, above + entry.key + '.', taken);
      }
    } else if (taken(above + entry.key)) {
      if (own)
        own->value = std::move(entry.value);
      else
        base.add(entry.key, entry.key_mark, std::move(entry.value));
    }
  }
}

}  // namespace

Config Config::load_with_parts(const std::filesystem::path& base, const std::filesystem::path& other,
                               const std::function<bool(std::string_view)>& taken, Diagnostics& diagnostics,
                               std::span<const std::string> overrides) {
  std::unique_ptr<ConfigValue> root = read_with_includes(base, diagnostics);
  const std::unique_ptr<ConfigValue> from = read_with_includes(other, diagnostics);
  if (root && from) take_over(*root, *from, "", taken);
  return open(std::move(root), Mark{base.string(), 1, 1}, overrides, diagnostics);
}

Config Config::load(const std::filesystem::path& file, std::span<const std::string> overrides,
                    Diagnostics& diagnostics) {
  const Mark start{file.string(), 1, 1};
  return open(read_with_includes(file, diagnostics), start, overrides, diagnostics);
}

Config Config::parse(std::string_view text, const std::string& name, std::span<const std::string> overrides,
                     Diagnostics& diagnostics) {
  const Mark start{name, 1, 1};
  return open(read_with_includes(text, name, diagnostics), start, overrides, diagnostics);
}

Config Config::from(const ConfigValue& tree, std::span<const std::string> overrides,
                    Diagnostics& diagnostics) {
  return open(tree.as_read(), tree.mark, overrides, diagnostics);
}

std::shared_ptr<const ConfigValue> Config::tree() const { return state_->root->as_read(); }

Config Config::open(std::unique_ptr<ConfigValue> root, const Mark& start,
                    std::span<const std::string> overrides, Diagnostics& diagnostics) {
  auto state = std::make_shared<State>(State{diagnostics, std::move(root), false, {}});
  if (state->root == nullptr) {
    state->broken = true;
    state->root = std::make_unique<ConfigValue>();
  }
  state->root->kind = Kind::kMap;
  state->root->mark = start;
  std::uint32_t number = 0;
  for (const std::string& override : overrides) {
    if (!apply_override(*state->root, override, ++number, diagnostics)) state->broken = true;
  }
  ConfigValue* const value = state->root.get();
  const std::size_t noted = diagnostics.messages().size();
  value->refuse_open("", diagnostics);
  // Errors that follow from missing values are not worth a message.
  if (diagnostics.messages().size() > noted) diagnostics.throw_if_any();
  return Config(std::move(state), value, "", false);
}

std::string Config::resolved() const { return write_yaml(*state_->root); }

}  // namespace a3sim
