#include "sim/diagnosis/rules/rule_data.h"

#include <fmt/format.h>

#include "sim/core/config/config.h"
#include "sim/core/error.h"

namespace a3sim {

RuleData RuleData::read(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  RuleData data = read(Config::load(file, {}, diagnostics), file);
  diagnostics.throw_if_any();
  return data;
}

RuleData RuleData::read(const Config& root, const std::filesystem::path& file) {
  constexpr double kMost = 1e18;
  const bool shared = root.has("shared");
  const Config thresholds = root.map(shared ? "shared" : "thresholds").require_sources(true);
  RuleData data;
  data.file_ = file;
  for (const std::string& key : thresholds.names())
    data.thresholds_.emplace(key, thresholds.number(key, 0, kMost));
  thresholds.finish();
  if (!shared) {
    data.remedies_ = root.texts("remedies");
    data.standing_remedies_ = root.texts("standing_remedies");
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

}  // namespace a3sim
