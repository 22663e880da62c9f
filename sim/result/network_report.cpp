#include "sim/result/network_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

// How far an end of a cable is from the hosts: 0 for a host, 1 for what hosts are plugged into.
std::map<std::string, std::uint32_t> heights_of(const CableLayout& layout) {
  std::map<std::string, std::vector<const std::string*>> beside;
  std::map<std::string, std::uint32_t> heights;
  std::vector<const std::string*> now;
  for (const Cable& cable : layout.cables()) {
    beside[cable.from].push_back(&cable.to);
    if (cable.from.starts_with("host") && heights.try_emplace(cable.from, 0).second)
      now.push_back(&cable.from);
  }
  for (std::uint32_t height = 1; !now.empty(); ++height) {
    std::vector<const std::string*> next;
    for (const std::string* const end : now)
      for (const std::string* const other : beside[*end])
        if (heights.try_emplace(*other, height).second) next.push_back(other);
    now = std::move(next);
  }
  return heights;
}

struct LevelSummary {
  std::string plane, name;
  std::uint64_t cables = 0, used = 0, may_bind = 0;
  double slowest = 0, fastest = 0;  // bytes per second
  double least = 0, most = 0;  // of its switches: what comes from below over what goes up; 0: nothing goes up
};

LevelSummary& level_of(std::vector<LevelSummary>& levels, const std::string& plane, const std::string& name) {
  const auto found = std::ranges::find_if(
      levels, [&](const LevelSummary& level) { return level.plane == plane && level.name == name; });
  return found == levels.end() ? levels.emplace_back(LevelSummary{.plane = plane, .name = name}) : *found;
}

void add_layout(const std::string& plane, const CableLayout& layout, std::vector<LevelSummary>& levels) {
  const std::map<std::string, std::uint32_t> heights = heights_of(layout);
  struct Capacity {
    double below = 0, above = 0;
    std::string level;  // of what goes up
  };
  std::map<std::string, Capacity> switches;
  for (const Cable& cable : layout.cables()) {
    const auto rate = static_cast<double>(cable.rate.count);
    LevelSummary& level = level_of(levels, plane, cable.level);
    level.slowest = ++level.cables == 1 ? rate : std::min(level.slowest, rate);
    level.fastest = std::max(level.fastest, rate);
    const auto from = heights.find(cable.from), to = heights.find(cable.to);
    if (from == heights.end() || to == heights.end() || from->second >= to->second) continue;
    switches[cable.to].below += rate;
    if (from->second == 0) continue;
    Capacity& below = switches[cable.from];
    below.above += rate;
    below.level = cable.level;
  }
  for (const auto& [name, capacity] : switches) {
    if (capacity.above == 0) continue;
    LevelSummary& level = level_of(levels, plane, capacity.level);
    const double ratio = capacity.below / capacity.above;
    level.least = level.least == 0 ? ratio : std::min(level.least, ratio);
    level.most = std::max(level.most, ratio);
  }
}

std::string ratio_text(const LevelSummary& level) {
  if (level.most == 0) return "";
  constexpr double kSame = 1e-9;
  return level.most - level.least < kSame ? fmt::format("{:.4g}:1", level.most)
                                          : fmt::format("{:.4g}..{:.4g}:1", level.least, level.most);
}

std::string rate_text(const LevelSummary& level) {
  constexpr double kGiga = 1e9;
  return level.slowest == level.fastest
             ? fmt::format("{:.4g}", level.fastest / kGiga)
             : fmt::format("{:.4g}..{:.4g}", level.slowest / kGiga, level.fastest / kGiga);
}

void add_level_table(const std::vector<LevelSummary>& levels, Report& report) {
  Table& table =
      report.table("levels", {Column::words("plane"), Column::words("level"), Column::count("cables"),
                              Column::words("GB/s"), Column::words("from below, over up"),
                              Column::count("on routes", "used"), Column::count("may bind", "may_bind")});
  for (const LevelSummary& level : levels)
    table.add({level.plane, level.name, whole(level.cables), rate_text(level), ratio_text(level),
               whole(level.used), whole(level.may_bind)});
  report.say(
      "may bind: of those on routes; the others carry no more than the ports of the ranks can send or take, "
      "or the "
      "same as\nanother one, and are left out of what is solved.\n");
}

void add_route(const Experiment& experiment, const Topology& topology, std::uint32_t from, std::uint32_t to,
               Report& report) {
  const std::vector<std::uint32_t> dies = dies_of(experiment.run.ranks);
  for (const std::uint32_t rank : {from, to})
    if (rank >= dies.size())
      throw InputError(fmt::format("--route: rank {} of a group of {}: expected 0 to {}", rank, dies.size(),
                                   dies.size() - 1));
  if (from == to) throw InputError("--route: expected two different ranks");
  const std::uint32_t plane_number = topology.level(RankId{from}, RankId{to}).plane;
  const auto plane = std::ranges::find(experiment.run.cables, plane_number, &CablePlane::plane);
  const std::string& name = experiment.hardware.fabric.planes[plane_number].name;
  if (plane == experiment.run.cables.end()) {
    report.say(fmt::format("rank {} to rank {}: plane {}, ports alone\n", from, to, name));
    return;
  }
  const CableRates rates = damaged_rates(*plane->layout, plane->damages);
  const CablePath path = cable_path(*plane->layout, dies[from], dies[to], plane->rule, rates.dead);
  const std::uint32_t ways = plane->layout->ways(dies[from], dies[to]);
  report.say_on(fmt::format("rank {} (die {}) to rank {} (die {}): plane {}, {} way{}, routes {}\n", from,
                            dies[from], to, dies[to], name, ways, ways == 1 ? "" : "s",
                            name_of(plane->rule.kind)));
  Table& table = report.table("route", {Column::words("cable"), Column::words("level"),
                                        Column::percent("of the bytes", "part", 2), Column::words("GB/s")});
  constexpr double kGiga = 1e9;
  for (const CableShare& share : path) {
    const Cable& cable = plane->layout->cables()[share.cable];
    table.add({cable.name(), cable.level, static_cast<double>(share.parts) / share.whole,
               fmt::format("{:.4g}", static_cast<double>(rates.rates[share.cable].count) / kGiga)});
  }
}

}  // namespace

Report network_report(const Experiment& experiment, std::uint32_t from, std::uint32_t to) {
  if (experiment.run.cables.empty())
    throw InputError(
        experiment.name +
        ": no plane has cables, there are ports alone: network.topology says what lies between them "
        "(include a file of configs/topologies)");
  const std::vector<std::uint32_t> dies = dies_of(experiment.run.ranks);
  const Topology topology(experiment.hardware, experiment.program, dies, experiment.run.transport, 0,
                          experiment.run.cables);
  std::vector<LevelSummary> levels;
  for (const CablePlane& plane : experiment.run.cables)
    add_layout(experiment.hardware.fabric.planes[plane.plane].name, *plane.layout, levels);
  const std::vector<double> all(dies.size() * dies.size(), 1);
  for (const Topology::CableLoad& load : topology.cable_loads(all)) {
    const auto has_it = [&](const CablePlane& plane) {
      const std::vector<Cable>& cables = plane.layout->cables();
      return load.cable >= cables.data() && load.cable < cables.data() + cables.size();
    };
    const CablePlane& plane = *std::ranges::find_if(experiment.run.cables, has_it);
    LevelSummary& level =
        level_of(levels, experiment.hardware.fabric.planes[plane.plane].name, load.cable->level);
    ++level.used;
    level.may_bind += load.number == kNone ? 0 : 1;
  }
  Report report;
  report.say(fmt::format("{}: what lies between the ports of {} ranks\n", experiment.name, dies.size()));
  add_level_table(levels, report);
  if (from != kNone) add_route(experiment, topology, from, to, report);
  return report;
}

}  // namespace a3sim
