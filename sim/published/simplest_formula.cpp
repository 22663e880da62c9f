#include "sim/published/simplest_formula.h"

#include "sim/core/config/config.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {

SimplestFormula SimplestFormula::read(const std::filesystem::path& configs) {
  Diagnostics diagnostics;
  const auto file_in = [](const std::filesystem::path& folder) {
    return folder / "reference" / "formula.yaml";
  };
  const bool own = std::filesystem::exists(file_in(configs));
  const Config root = Config::load(file_in(own ? configs : configs_folder()), {}, diagnostics);
  SimplestFormula formula;
  formula.rule = root.text("rule");
  const Config products = root.map("products");
  for (const std::string& stack : products.names()) formula.products[stack] = products.number(stack, 0, 1);
  root.finish();
  diagnostics.throw_if_any();
  return formula;
}

double SimplestFormula::part_of_peak(const Hardware& hardware) const {
  const auto known = products.find(hardware.stack);
  return known == products.end() ? 1 : known->second;
}

std::optional<double> formula_value(const Metric& metric, const std::string& name, MetricAmount amount,
                                    Duration time, std::optional<Duration> other) {
  const auto ps = [](Duration d) { return static_cast<double>(d.count()); };
  if (time <= Duration::zero()) return {};
  if (metric.relation != Metric::Relation::kNone)
    return other ? std::optional(metric.related(ps(time), ps(*other))) : std::nullopt;
  if (name == "latency" || name == "device_time") return ps(time);
  if (name == "launch_time") return metric.base_value(amount);  // what is measured is an input
  if (metric.form != Metric::Form::kPerSecond) return {};
  amount.whole = ps(time);
  return metric.base_value(amount);
}

}  // namespace a3sim
