#include "sim/diagnosis/rules/rule_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/config/config.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

std::vector<RemedyPlan> read_remedies(const Config& root, std::string_view key) {
  std::vector<RemedyPlan> remedies;
  if (!root.has(key)) return remedies;
  for (const Config& entry : root.maps(key)) {
    RemedyPlan& remedy = remedies.emplace_back();
    remedy.text = entry.text("text");
    remedy.change = static_cast<RemedyPlan::Change>(
        entry.choice("change", {"none", "removed", "workers", "balanced"}, "none"));
    remedy.profiler =
        static_cast<RemedyPlan::Profiler>(entry.choice("profiler", {"any", "ascend", "pytorch"}, "any"));
    remedy.hardware = entry.boolean("hardware", false);
    entry.finish();
  }
  return remedies;
}

}  // namespace

RuleData RuleData::read(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  RuleData data = read(Config::load(file, {}, diagnostics), file);
  diagnostics.throw_if_any();
  return data;
}

RuleData RuleData::read(const Config& root, const std::filesystem::path& file) {
  constexpr double kMost = 1e18;
  const bool shared = root.has("shared");
  const Config thresholds = root.map(shared ? "shared" : "thresholds").with_sources(true);
  RuleData data;
  data.file_ = file;
  for (const std::string& key : thresholds.names())
    data.thresholds_.emplace(key, thresholds.number(key, 0, kMost));
  thresholds.finish();
  if (!shared) {
    data.remedies_ = read_remedies(root, "remedies");
    data.standing_remedies_ = read_remedies(root, "standing_remedies");
    data.always_ = root.boolean("always", false);
    if (data.remedies_.empty()) root.error("remedies", "missing; expected what fixes the cause");
  }
  root.finish();
  return data;
}

double RuleData::at(std::string_view threshold) const {
  const auto found = thresholds_.find(threshold);
  if (found != thresholds_.end()) return found->second;
  throw InputError(fmt::format("{}: thresholds.{}: missing", file_.string(), threshold));
}

double felt_time(const RuleData& data, const RuleData& shared, double step) {
  constexpr double kPicosecondsOfMillisecond = 1e9;
  return std::min(data.at("least_ms") * kPicosecondsOfMillisecond, shared.at("felt") * step);
}

}  // namespace a3sim
