#include "sim/network/topologies/tree.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace a3sim {

double Tree::hosts_of(const std::vector<TreeLevel>& levels) {
  double hosts = 1;
  for (const TreeLevel& level : levels) hosts *= level.down;
  return hosts;
}

double Tree::cables_of(const std::vector<TreeLevel>& levels, std::uint32_t copies) {
  double nodes = hosts_of(levels), cables = 0;
  for (const TreeLevel& level : levels) {
    cables += 2 * nodes * level.up * level.cables;
    nodes = nodes / level.down * level.up;
  }
  return cables * copies;
}

// Nodes of a level are numbered by group (the hosts below them) and then by stem (the switch among those that
// serve the group). A node's cables up are numbered by parent and then by cable; up and down alternate.
Tree::Tree(std::vector<TreeLevel> levels, std::uint32_t copies, std::vector<std::uint32_t> places)
    : levels_(std::move(levels)), copies_(copies), places_(std::move(places)) {
  if (levels_.empty() || copies_ == 0) throw std::logic_error("a tree has levels and copies");
  below_.push_back(1);
  stems_.push_back(1);
  ways_.push_back(1);
  for (const TreeLevel& level : levels_) {
    below_.push_back(below_.back() * level.down);
    stems_.push_back(stems_.back() * level.up);
    ways_.push_back(ways_.back() * level.up * level.cables * level.cables);
  }
  hosts_ = below_.back();
  for (std::uint32_t copy = 0; copy < copies_; ++copy) {
    for (std::uint32_t level = 0; level < levels_.size(); ++level) add_level(copy, level);
  }
}

std::string Tree::node_name(std::uint32_t copy, std::uint32_t level, std::uint32_t number) const {
  if (level == 0) return fmt::format("host{}", number);
  const std::string name = fmt::format("{}{}", levels_[level - 1].name, number);
  return copies_ > 1 ? fmt::format("{}.{}", name, copy) : name;
}

void Tree::add_level(std::uint32_t copy, std::uint32_t level) {
  const TreeLevel& above = levels_[level];
  first_.push_back(static_cast<std::uint32_t>(cables_.size()));
  const std::uint32_t groups = hosts_ / below_[level];
  const std::string lower = level == 0 ? "host" : levels_[level - 1].name;
  for (std::uint32_t node = 0; node < groups * stems_[level]; ++node) {
    const std::uint32_t group = node / stems_[level], stem = node % stems_[level];
    // By host instead of place: names say where a die is plugged in.
    std::string from = node_name(copy, level, node);
    if (level == 0 && !places_.empty()) {
      for (std::uint32_t host = 0; host < hosts_; ++host) {
        if (places_[host] == node) from = node_name(copy, 0, host);
      }
    }
    for (std::uint32_t parent = 0; parent < above.up; ++parent) {
      const std::uint32_t number = group / above.down * stems_[level + 1] + stem * above.up + parent;
      const std::string to = node_name(copy, level + 1, number);
      for (std::uint32_t c = 0; c < above.cables; ++c) {
        const std::string which = above.cables > 1 ? fmt::format("#{}", c) : "";
        cables_.push_back({from, to + which, lower + "-" + above.name, above.rate});
        cables_.push_back({to, from + which, above.name + "-" + lower, above.rate});
      }
    }
  }
}

std::uint32_t Tree::meeting_level(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t level = 1;
  while (level < levels_.size() && a / below_[level] != b / below_[level]) ++level;
  return level;
}

std::uint32_t Tree::ways(std::uint32_t from, std::uint32_t to) const {
  return copies_ * ways_at(meeting_level(place(from), place(to)));
}

// Returns the cable from a place's node below a level up to the node of that level, along the turns of a way.
std::uint32_t Tree::cable_up(std::uint32_t copy, std::uint32_t place, const std::vector<Turn>& turns,
                             std::uint32_t level, std::uint32_t cable) const {
  const TreeLevel& above = levels_[level];
  std::uint32_t stem = 0;
  for (std::uint32_t l = 0; l < level; ++l) stem = stem * levels_[l].up + turns[l].parent;
  const std::uint32_t node = place / below_[level] * stems_[level] + stem;
  const std::uint32_t up = (node * above.up + turns[level].parent) * above.cables + cable;
  return first_[copy * levels_.size() + level] + 2 * up;
}

void Tree::append_way(std::uint32_t from, std::uint32_t to, std::uint32_t way,
                      std::vector<std::uint32_t>& cables) const {
  const std::uint32_t a = place(from), b = place(to), top = meeting_level(a, b);
  const std::uint32_t copy = way / ways_at(top);
  std::uint32_t rest = way % ways_at(top);
  std::vector<Turn> turns(top);
  for (std::uint32_t level = 0; level < top; ++level) {
    const TreeLevel& above = levels_[level];
    const auto draw = [&rest](std::uint32_t count) { return std::exchange(rest, rest / count) % count; };
    turns[level].parent = draw(above.up);
    turns[level].up_cable = draw(above.cables);
    turns[level].down_cable = draw(above.cables);
  }
  for (std::uint32_t level = 0; level < top; ++level)
    cables.push_back(cable_up(copy, a, turns, level, turns[level].up_cable));
  for (std::uint32_t level = top; level-- > 0;)
    cables.push_back(cable_up(copy, b, turns, level, turns[level].down_cable) + 1);
}

std::uint32_t Tree::given_way(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t b = place(to), top = meeting_level(place(from), b);
  std::uint32_t way = 0, scale = 1, key = b;
  for (std::uint32_t level = 0; level < top; ++level) {
    const TreeLevel& above = levels_[level];
    const std::uint32_t parent = key % above.up;
    key /= above.up;
    const std::uint32_t cable = key % above.cables;
    way += scale * (parent + above.up * (cable + above.cables * cable));
    scale *= above.up * above.cables * above.cables;
  }
  return b % copies_ * ways_at(top) + way;
}

}  // namespace a3sim
