#include "sim/variation/config_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

using StatedValues = std::vector<std::pair<std::string, std::string>>;

StatedValues stated_values(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  diagnostics.throw_if_any();
  return root.values();
}

bool is_remark(std::string_view path) {
  constexpr std::string_view kRemarks[] = {"name", "description", "stack", "source", "note"};
  const std::string_view key = path.substr(path.rfind('.') + 1);
  return std::find(std::begin(kRemarks), std::end(kRemarks), key) != std::end(kRemarks);
}

constexpr std::string_view kShares = "cut.shares";

// Where one cube takes one share of a product, shares follow the number of cubes.
bool shares_follow(const std::filesystem::path& file) {
  const Experiment experiment = load_experiment(file, {});
  return experiment.cut.shares == experiment.workers.count(CoreUnit::kMatrix);
}

bool both_follow(const std::filesystem::path& a, const std::filesystem::path& b) {
  return shares_follow(a) && shares_follow(b);
}

// The part of a key where the shares follow the number of workers, or do not.
std::size_t part_where(bool follow, std::string_view path) {
  return part_of(follow && path == kShares ? "workers" : path);
}

std::vector<ConfigPart> read_config_parts() {
  Diagnostics diagnostics;
  const Config root = Config::load(configs_folder() / "parts.yaml", {}, diagnostics);
  std::vector<ConfigPart> parts;
  for (const Config& block : root.maps("configuration")) {
    parts.push_back({block.text("part"), block.texts("keys")});
    block.finish();
  }
  diagnostics.throw_if_any();
  return parts;
}

}  // namespace

const std::vector<ConfigPart>& config_parts() {
  static const std::vector<ConfigPart> kParts = read_config_parts();
  return kParts;
}

std::size_t part_of(std::string_view path) {
  const std::vector<ConfigPart>& parts = config_parts();
  std::size_t part = parts.size(), longest = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const std::string& name : parts[p].paths) {
      if (!is_below(path, name) || name.size() <= longest) continue;
      part = p;
      longest = name.size();
    }
  }
  return part;
}

std::vector<ConfigDifference> config_differences(const std::filesystem::path& a,
                                                 const std::filesystem::path& b) {
  const StatedValues of_a = stated_values(a), of_b = stated_values(b);
  const std::map<std::string, std::string> in_a(of_a.begin(), of_a.end()), in_b(of_b.begin(), of_b.end());
  std::vector<ConfigDifference> differences;
  for (const auto& [path, value] : of_a) {
    const auto other = in_b.find(path);
    if (is_remark(path) || (other != in_b.end() && other->second == value)) continue;
    differences.push_back({path, value, other == in_b.end() ? "" : other->second});
  }
  for (const auto& [path, value] : of_b) {
    if (!is_remark(path) && !in_a.contains(path)) differences.push_back({path, "", value});
  }
  return differences;
}

std::vector<DifferentPart> different_parts(const std::filesystem::path& a, const std::filesystem::path& b) {
  const bool follow = both_follow(a, b);
  std::map<std::size_t, std::vector<ConfigDifference>> by_part;
  for (ConfigDifference& difference : config_differences(a, b))
    by_part[part_where(follow, difference.path)].push_back(std::move(difference));
  std::vector<DifferentPart> parts;
  for (auto& [part, all] : by_part) parts.push_back({part, std::move(all)});
  return parts;
}

Variation part_taken(const std::filesystem::path& a, const std::filesystem::path& b,
                     const DifferentPart& different) {
  Variation variation{config_parts()[different.part].name, {}};
  for (const ConfigDifference& difference : different.differences)
    variation.changes.push_back(fmt::format("{}={}", difference.path, difference.a));
  variation.make = [a, b, part = different.part](const Experiment&) {
    Diagnostics diagnostics;
    const bool follow = both_follow(a, b);
    const auto taken = [&](std::string_view path) { return part_where(follow, path) == part; };
    return read_experiment(Config::load_with_parts(b, a, taken, diagnostics), diagnostics);
  };
  return variation;
}

}  // namespace a3sim
