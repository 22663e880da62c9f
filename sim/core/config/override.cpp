#include "sim/core/config/override.h"

#include <fmt/format.h>

#include "sim/core/config/quantity.h"
#include "sim/core/config/yaml_reader.h"

namespace a3sim {
namespace {

using Kind = ConfigValue::Kind;

// Puts one value into the tree.
class Override {
 public:
  Override(std::string_view path, const Mark& mark, Diagnostics& diagnostics)
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
  // Where `key` stands in `node`, made if it is new; nullptr if `node` cannot have it.
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

}  // namespace

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
  return Override(path, mark, diagnostics).apply(root, std::move(value));
}

}  // namespace a3sim
