#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "sim/result/cable_figures.h"

namespace a3sim {
namespace {

// A host or switch: for "spine12.3" its kind, spine, and its number, for sorting.
struct MapNode {
  std::string kind;
  std::uint64_t number = 0;
  std::string name;
  friend auto operator<=>(const MapNode&, const MapNode&) = default;
};

MapNode map_node(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  MapNode node{name.substr(0, digits), 0, name};
  for (std::size_t i = digits; i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) != 0; ++i)
    node.number = node.number * 10 + static_cast<std::uint64_t>(name[i] - '0');
  return node;
}

std::pair<MapNode, MapNode> ends_of(const CableUse& cable) {
  const std::size_t arrow = cable.name.find("->");  // it has two ends
  const auto end = [](const std::string& text) { return map_node(text.substr(0, text.find('#'))); };
  return {end(cable.name.substr(0, arrow)), end(cable.name.substr(arrow + 2))};
}

struct MapPoint {
  double x = 0, y = 0;
};

// Places hosts and switches on the map.
class MapPlaces {
 public:
  explicit MapPlaces(const std::vector<CableUse>& cables) {
    // For each kind, the kinds to which its cables go.
    std::map<std::string, std::vector<std::string>> above;
    for (const CableUse& cable : cables) {
      const auto [from, to] = ends_of(cable);
      places_[from];
      places_[to];
      if (from.kind != to.kind) above[from.kind].push_back(to.kind);
    }
    set_rows(above);
    rows_.size() > 1 ? place_in_rows() : place_in_circle();
  }

  const std::vector<std::string>& rows() const { return rows_; }
  MapPoint at(const MapNode& node) const { return places_.at(node); }
  const std::map<MapNode, MapPoint>& all() const { return places_; }

 private:
  // Places rows from the hosts upwards.
  void set_rows(std::map<std::string, std::vector<std::string>>& above) {
    const std::string first = above.contains("host") ? "host" : places_.begin()->first.kind;
    rows_.push_back(first);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (const std::string& kind : above[rows_[r]])
        if (std::ranges::find(rows_, kind) == rows_.end()) rows_.push_back(kind);
    }
    for (const auto& [node, place] : places_)
      if (std::ranges::find(rows_, node.kind) == rows_.end()) rows_.push_back(node.kind);
  }
  void place_in_rows() {
    std::map<std::string, double> count, next;
    for (const auto& [node, place] : places_) ++count[node.kind];
    for (auto& [node, place] : places_) {
      place.x = (next[node.kind]++ + 0.5) / count[node.kind];
      place.y = static_cast<double>(std::ranges::find(rows_, node.kind) - rows_.begin());
    }
  }
  void place_in_circle() {
    double next = 0;
    for (auto& [node, place] : places_) {
      const double turn = 2 * std::numbers::pi * next++ / static_cast<double>(places_.size());
      place = {0.5 + 0.45 * std::sin(turn), 0.5 + 0.45 * std::cos(turn)};
    }
  }

  std::map<MapNode, MapPoint> places_;
  std::vector<std::string> rows_;
};

}  // namespace

Figure cable_map(const std::string& title, const std::vector<CableUse>& all) {
  constexpr std::size_t kNamedNodes = 24;
  Figure figure;
  figure.title = "Cables by their use, " + title;
  figure.origin = "% of what a cable could have carried; one line per direction";
  figure.x = {"", false, false, 0, 1, {-1}, {""}};
  figure.color = {"%", false, false, 0, 100, {}, {}};
  std::vector<CableUse> cables;  // without links of platform files, whose ends are unknown
  std::ranges::copy_if(all, std::back_inserter(cables),
                       [](const CableUse& cable) { return cable.name.find("->") != std::string::npos; });
  if (cables.empty()) return figure;
  const MapPlaces places(cables);
  const bool circle = places.rows().size() == 1;
  figure.y = circle ? FigureAxis{"", false, false, 0, 1, {-1}, {""}} : names_axis("", places.rows());
  const double beside = std::min(0.004, 0.1 / static_cast<double>(places.all().size()));
  for (const CableUse& cable : cables) {
    const auto [from, to] = ends_of(cable);
    const MapPoint a = places.at(from), b = places.at(to);
    const double shift = std::pair(a.y, a.x) < std::pair(b.y, b.x) ? -beside : beside;
    figure.links.push_back({a.x + shift, a.y, b.x + shift, b.y, 100 * cable.used, cable.name});
  }
  std::map<std::string, std::size_t> count;
  for (const auto& [node, place] : places.all()) ++count[node.kind];
  for (const auto& [node, place] : places.all())
    if (count[node.kind] <= kNamedNodes)
      figure.marks.push_back({place.x, place.y, std::to_string(node.number)});
  return figure;
}

}  // namespace a3sim
