#include "sim/result/cable_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/result/saved_rows.h"
#include "sim/result/saved_values.h"

namespace a3sim {
namespace {

// The cables of one level.
struct LevelUse {
  std::string name;
  std::uint64_t cables = 0;
  double used = 0;  // sum over its cables
  const CableUse* hottest = nullptr;
};

// Returns the levels, sorted by the use of their hottest cable.
std::vector<LevelUse> level_uses(const std::vector<CableUse>& cables) {
  std::vector<LevelUse> levels;
  for (const CableUse& cable : cables) {
    auto level = std::ranges::find(levels, cable.level, &LevelUse::name);
    if (level == levels.end()) level = levels.insert(levels.end(), LevelUse{cable.level, 0, 0, &cable});
    ++level->cables;
    level->used += cable.used;
  }
  return levels;
}

}  // namespace

void add_cables(std::span<const PassCables> passes, Report& report) {
  if (std::ranges::all_of(passes, [](const PassCables& pass) { return pass.cables->empty(); })) return;
  Table& table =
      report.table("", {Column::words("cables"), Column::words("level"), Column::count("in use"),
                        Column::percent("mean use"), Column::words("hottest"), Column::percent("its use"),
                        Column::percent("its peak"), Column::milliseconds("full ms")});
  for (const PassCables& pass : passes) {
    for (const LevelUse& level : level_uses(*pass.cables)) {
      const CableUse& hottest = *level.hottest;
      table.add({pass.name, level.name, whole(level.cables), level.used / static_cast<double>(level.cables),
                 hottest.name, hottest.used, unless_zero(hottest.peak), hottest.full});
    }
  }
}

std::string full_cable(std::string_view pass, Duration makespan, const std::vector<CableUse>& cables) {
  constexpr double kWorthSaying = 0.05;
  const auto longest = std::ranges::max_element(cables, {}, &CableUse::full);
  if (longest == cables.end() || seconds(longest->full) < kWorthSaying * seconds(makespan)) return {};
  std::size_t alike = 0;
  for (const CableUse& cable : cables)
    alike += cable.level == longest->level && seconds(cable.full) >= 0.9 * seconds(longest->full) ? 1 : 0;
  return fmt::format(
      "{}: cable {} ({}) carried all it can for {} of {}{}: time lost to links is lost there.\n", pass,
      longest->name, longest->level, in_ms_or_s(longest->full), in_ms_or_s(makespan),
      alike > 1 ? fmt::format(", {} others of its level about as long", alike - 1) : "");
}

void add_hottest_cables(const std::vector<CableUse>& cables, Report& report) {
  constexpr std::size_t kMost = 1000;
  if (cables.empty()) return;
  std::vector<Column> columns;
  describe_cable(SavedCable(), DataColumns(columns));
  Table& table = report.table("cables", std::move(columns), Audience::kPrograms);
  for (std::size_t c = 0; c < std::min(kMost, cables.size()); ++c) {
    const CableUse& cable = cables[c];
    std::vector<Cell> cells;
    const SavedCable saved{cable, static_cast<double>(cable.rate.count)};
    describe_cable(saved, DataCells(cells));
    table.add(std::move(cells));
  }
}

}  // namespace a3sim
