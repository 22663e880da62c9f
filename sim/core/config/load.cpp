#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/config/include.h"
#include "sim/core/config/override.h"
#include "sim/core/config/state.h"
#include "sim/core/config/yaml_reader.h"
#include "sim/core/config/yaml_writer.h"

namespace a3sim {
namespace {

using Taken = std::function<bool(std::string_view)>;

bool is_block(const ConfigValue& value) {
  return value.kind == ConfigValue::Kind::kMap && !value.is_sourced();
}

// Paths are of values, not of the blocks that hold them: a block of which nothing is left, or nothing is taken,
// is not there.
void take_over(ConfigValue& base, ConfigValue& other, const std::string& above, const Taken& taken) {
  ConfigValue nothing;
  nothing.kind = ConfigValue::Kind::kMap;
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
        block->kind = ConfigValue::Kind::kMap;
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

Config Config::open(std::unique_ptr<ConfigValue> root, const Mark& start,
                    std::span<const std::string> overrides, Diagnostics& diagnostics) {
  auto state = std::make_shared<State>(State{diagnostics, std::move(root), false, {}});
  if (state->root == nullptr) {
    state->broken = true;
    state->root = std::make_unique<ConfigValue>();
  }
  state->root->kind = ConfigValue::Kind::kMap;
  state->root->mark = start;
  std::uint32_t number = 0;
  for (const std::string& override : overrides) {
    if (!apply_override(*state->root, override, ++number, diagnostics)) state->broken = true;
  }
  ConfigValue* const value = state->root.get();
  return Config(std::move(state), value, "", false);
}

std::string Config::resolved() const { return write_yaml(*state_->root); }

}  // namespace a3sim
