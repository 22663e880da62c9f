#include "sim/experiment/config/overrides.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

// The keys whose values are paths.
constexpr std::string_view kPathKeys[] = {"routing.file", "order.ctq_list", "order.vtq_list"};

}  // namespace

std::string without_quotes(const std::string& yaml) {
  return yaml.size() > 1 && yaml.front() == '"' ? yaml.substr(1, yaml.size() - 2) : yaml;
}

Override make_override(const std::string& key, const std::string& yaml, const Mark& mark,
                       const std::filesystem::path& folder) {
  Override override{key, key == "include" ? without_quotes(yaml) : yaml, mark};
  if (std::ranges::find(kPathKeys, key) != std::end(kPathKeys)) {
    const std::filesystem::path path = folder / without_quotes(yaml);
    override.value = fmt::format("\"{}\"", std::filesystem::absolute(path).lexically_normal().string());
  }
  return override;
}

std::vector<Override> read_overrides(const Config& map, const std::filesystem::path& folder) {
  std::vector<Override> overrides;
  for (const std::string& key : map.names())
    overrides.push_back(make_override(key, map.yaml(key), map.mark(key), folder));
  return overrides;
}

}  // namespace a3sim
