#include "sim/experiment/run/own_values.h"

#include <fmt/format.h>

#include <vector>

#include "sim/core/config/value.h"

namespace a3sim {
namespace {

constexpr std::size_t kShown = 4;

std::string first_values(const std::vector<std::string>& values) {
  const std::size_t shown = std::min(kShown, values.size());
  std::string text =
      fmt::format("{}", fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (values.size() > shown) text += fmt::format(" and {} more", values.size() - shown);
  return text;
}

}  // namespace

std::string own_values(const Experiment& experiment) {
  if (!experiment.tree) return "";
  Diagnostics ignored;
  const Config root = Config::from(*experiment.tree, {}, ignored);
  std::vector<std::string> changed, unsourced;
  for (const char* const block : {"hardware", "program"}) {
    if (!root.has(block)) continue;
    for (const SourcedValue& value : root.map(block).sourced()) {
      if (value.source == kOverrideFile) changed.push_back(value.path + '=' + value.value);
      if (value.source.empty() || value.source == kNotStated) unsourced.push_back(value.path);
    }
  }
  std::string text;
  if (!changed.empty()) text += fmt::format("set       {}\n", first_values(changed));
  if (!unsourced.empty()) text += fmt::format("unsourced {}\n", first_values(unsourced));
  return text;
}

}  // namespace a3sim
