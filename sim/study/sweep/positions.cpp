#include "sim/study/sweep/positions.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"

namespace a3sim {
namespace {

// Whether a position is left out; `matched` counts which exclusions ever match.
bool is_excluded(const SweepSpec& spec, const SweepPosition& position, std::vector<bool>& matched) {
  bool excluded = false;
  for (std::size_t e = 0; e < spec.exclusions.size(); ++e) {
    const bool match = std::ranges::all_of(spec.exclusions[e].values, [&](const auto& of) {
      return std::ranges::find(of.second, position[of.first]) != of.second.end();
    });
    if (match) matched[e] = true;
    excluded = excluded || match;
  }
  return excluded;
}

std::vector<std::uint32_t> sizes_of(const SweepSpec& spec) {
  std::vector<std::uint32_t> sizes(spec.dimensions, 1);
  for (const SweepAxis& axis : spec.axes)
    sizes[axis.dimension] = static_cast<std::uint32_t>(axis.values.size());
  return sizes;
}

// Steps on; false after the last.
bool next(std::vector<std::uint32_t>& place, const std::vector<std::uint32_t>& sizes) {
  for (std::size_t d = place.size(); d-- > 0;) {
    if (++place[d] < sizes[d]) return true;
    place[d] = 0;
  }
  return false;
}

}  // namespace

std::vector<SweepPosition> positions_of(const SweepSpec& spec) {
  const std::vector<std::uint32_t> sizes = sizes_of(spec);
  std::vector<std::uint32_t> place(sizes.size(), 0);
  std::vector<bool> matched(spec.exclusions.size());
  std::vector<SweepPosition> positions;
  do {
    SweepPosition position;
    for (const SweepAxis& axis : spec.axes) position.push_back(place[axis.dimension]);
    if (!is_excluded(spec, position, matched)) positions.push_back(std::move(position));
  } while (next(place, sizes));
  Diagnostics diagnostics;
  for (std::size_t e = 0; e < matched.size(); ++e) {
    if (!matched[e]) diagnostics.error(spec.exclusions[e].mark, "sweep.exclude", "matches no point");
  }
  diagnostics.throw_if_any();
  if (positions.empty())
    throw InputError(fmt::format("{}: sweep.exclude: all points are left out", spec.file.string()));
  return positions;
}

std::string describe(const SweepSpec& spec, const SweepPosition& position) {
  std::string text;
  for (std::size_t a = 0; a < spec.axes.size(); ++a) {
    const SweepAxis& axis = spec.axes[a];
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis.name, axis.values[position[a]].label);
  }
  return text;
}

}  // namespace a3sim
