#include "sim/study/sweep/exclusions.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/closest.h"

namespace a3sim {
namespace {

std::vector<std::string> names_of(const std::vector<SweepAxis>& axes) {
  std::vector<std::string> names;
  for (const SweepAxis& axis : axes) names.push_back(axis.name);
  return names;
}

std::vector<std::string> labels_of(const SweepAxis& axis) {
  std::vector<std::string> labels;
  for (const SweepValue& value : axis.values) labels.push_back(value.label);
  return labels;
}

// `4`, or `[4, 8]`: positions among the axis' values.
std::vector<std::size_t> values_of(const Config& filter, const SweepAxis& axis) {
  const std::vector<std::string> labels = labels_of(axis);
  const std::string yaml = filter.yaml(axis.name);
  std::vector<std::string> wanted;
  if (std::ranges::find(labels, yaml) == labels.end() && yaml.starts_with('[')) {
    wanted = filter.texts(axis.name);
  } else {
    wanted = {yaml.starts_with('"') ? filter.text(axis.name) : yaml};
  }
  std::vector<std::size_t> values;
  for (const std::string& label : wanted) {
    const auto found = std::ranges::find(labels, label);
    if (found == labels.end()) {
      filter.error(axis.name,
                   fmt::format("axis '{}' has no value '{}'{}", axis.name, label, suggestion(label, labels)));
    } else {
      values.push_back(static_cast<std::size_t>(found - labels.begin()));
    }
  }
  return values;
}

}  // namespace

void read_exclusions(const Config& sweep, SweepSpec& spec) {
  for (const Config& filter : sweep.maps("exclude")) {
    SweepExclusion exclusion{filter.mark(), {}};
    for (const std::string& name : filter.names()) {
      const auto axis = std::ranges::find(spec.axes, name, &SweepAxis::name);
      if (axis == spec.axes.end()) {
        filter.yaml(name);
        filter.error(name,
                     fmt::format("no axis is called '{}'{}", name, suggestion(name, names_of(spec.axes))));
        continue;
      }
      exclusion.values.emplace_back(static_cast<std::size_t>(axis - spec.axes.begin()),
                                    values_of(filter, *axis));
    }
    filter.finish();
    spec.exclusions.push_back(std::move(exclusion));
  }
}

}  // namespace a3sim
