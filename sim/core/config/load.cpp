#include <fmt/format.h>

#include "sim/core/config/include.h"
#include "sim/core/config/override.h"
#include "sim/core/config/state.h"
#include "sim/core/config/yaml_reader.h"
#include "sim/core/config/yaml_writer.h"

namespace a3sim {

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
