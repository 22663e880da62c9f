#include "sim/diagnosis/rules/link_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "sim/core/ids.h"
#include "sim/core/statistics.h"

namespace a3sim {
namespace {

constexpr double kHealthiest = 0.9;       // share of cells that are slower than what counts as healthy
constexpr std::size_t kLeastCells = 2;    // of a port; with fewer it cannot be told from a path
constexpr std::size_t kManyCells = 6;     // of a port, from which on one cell may be an outlier
constexpr double kSameEffect = 1.6;       // times a port's effect: a slower cell has another cause
constexpr std::size_t kLeastOfPlane = 4;  // cells of a plane that are all slow
constexpr double kAlikeLog = 0.2, kAlikePart = 0.35;  // the most by which effects of ports in one set differ

constexpr std::uint32_t kAllPlanes = kNone;

// A side of a rank's ports, in all planes or in one, and the effect on nearly all of its cells.
struct PortSide {
  std::uint32_t rank = 0;
  bool egress = false;
  std::uint32_t plane = kAllPlanes;
  double effect = 0;
};

// Finds ports and paths that explain slow cells. `cells` are relative to healthy ones.
class SlowCells {
 public:
  SlowCells(std::vector<std::vector<double>> cells, const LinkRates& rates, const SlowLinkLimits& limits)
      : cells_(std::move(cells)), open_(cells_), rates_(rates), limits_(limits), planes_{kAllPlanes} {
    each([&](std::uint32_t s, std::uint32_t d, double) {
      if (rates_.longest[s][d]) planes_.insert(rates_.longest[s][d]->plane);
    });
  }

  std::vector<PortSide> ports() {
    std::vector<PortSide> chosen;
    while (const std::optional<PortSide> best = best_port()) {
      explain(*best);
      chosen.push_back(*best);
    }
    double worst = 0;
    for (const PortSide& port : chosen) worst = std::min(worst, port.effect);
    std::erase_if(chosen, [&](const PortSide& port) { return port.effect > limits_.port_among * worst; });
    return chosen;
  }

  // Returns the slow paths that ports do not explain.
  std::vector<SlowLink> paths() const {
    std::vector<SlowLink> found;
    double worst = 0;
    each([&](std::uint32_t, std::uint32_t, double rest) { worst = std::min(worst, rest); });
    each([&](std::uint32_t from, std::uint32_t to, double rest) {
      if (rest >= std::min(limits_.low, limits_.path_among * worst) || cells_[from][to] >= limits_.low)
        return;
      SlowLink& link = found.emplace_back();
      link.kind = SlowLink::Kind::kPath;
      link.from = from;
      link.to = to;
      link.factor = std::exp(rest);
    });
    return found;
  }

 private:
  template <class Take>
  void each(const Take& take) const {
    for (std::uint32_t s = 0; s < open_.size(); ++s)
      for (std::uint32_t d = 0; d < open_.size(); ++d)
        if (!std::isnan(open_[s][d])) take(s, d, open_[s][d]);
  }
  template <class Take>
  void each_of(const PortSide& port, const Take& take) const {
    for (std::uint32_t other = 0; other < cells_.size(); ++other) {
      const std::uint32_t s = port.egress ? port.rank : other, d = port.egress ? other : port.rank;
      if (std::isnan(cells_[s][d])) continue;
      const TransferRecord* put = rates_.longest[s][d];
      if (port.plane == kAllPlanes || (put && put->plane == port.plane)) take(s, d);
    }
  }

  // Returns the effect on a side of a rank's ports if nearly all of its cells are slow; otherwise 0.
  double effect_of(const PortSide& port) const {
    std::vector<double> own;
    each_of(port, [&](std::uint32_t s, std::uint32_t d) { own.push_back(cells_[s][d]); });
    if (own.size() < kLeastCells) return 0;
    std::ranges::sort(own);
    const double effect = own[own.size() - (own.size() < kManyCells ? 1 : 2)];
    return effect < limits_.low ? effect : 0;
  }

  // Returns how much of the open cells a port explains, if it explains half of its own cells; otherwise 0.
  double explained_by(const PortSide& port) const {
    double explained = 0;
    std::size_t slow = 0, all = 0;
    each_of(port, [&](std::uint32_t s, std::uint32_t d) {
      ++all;
      if (open_[s][d] >= limits_.low) return;
      ++slow;
      explained += std::min(-open_[s][d], -port.effect);
    });
    return slow < kLeastCells || 2 * slow < all ? 0 : explained;
  }

  // Returns the port that explains most of the open cells.
  std::optional<PortSide> best_port() const {
    std::optional<PortSide> best;
    double most = 0;
    for (std::uint32_t rank = 0; rank < cells_.size(); ++rank) {
      for (const bool egress : {true, false}) {
        for (const std::uint32_t plane : planes_) {
          PortSide port{rank, egress, plane};
          port.effect = effect_of(port);
          const double explained = port.effect < 0 ? explained_by(port) : 0;
          if (explained <= most) continue;
          most = explained;
          best = port;
        }
      }
    }
    return best;
  }

  void explain(const PortSide& port) {
    each_of(port, [&](std::uint32_t s, std::uint32_t d) {
      double& cell = open_[s][d];
      cell = cell >= kSameEffect * port.effect ? std::max(cell, 0.0) : cell - port.effect;
    });
  }

  std::vector<std::vector<double>> cells_;
  std::vector<std::vector<double>> open_;  // the part that no port explains yet
  const LinkRates& rates_;                 // which plane a cell is of
  const SlowLinkLimits& limits_;
  std::set<std::uint32_t> planes_;
};

std::vector<double> all_cells(const LinkRates& rates) {
  std::vector<double> all;
  for (const auto& row : rates.cells)
    for (const double cell : row)
      if (!std::isnan(cell)) all.push_back(cell);
  return all;
}

bool alike(double a, double b) {
  return std::abs(a - b) < std::max(kAlikeLog, kAlikePart * std::abs(std::min(a, b)));
}

// Joins both sides of a rank, with the rate of the slower one, and then ports that are slow alike.
std::vector<SlowLink> joined(const std::vector<PortSide>& sides) {
  std::vector<SlowLink> ports;
  std::set<std::uint32_t> ranks;
  for (const PortSide& side : sides) ranks.insert(side.rank);
  for (const std::uint32_t rank : ranks) {
    SlowLink port;
    port.ranks = {rank};
    double effect = 0;
    for (const PortSide& side : sides) {
      if (side.rank != rank) continue;
      (side.egress ? port.egress : port.ingress) = true;
      effect = std::min(effect, side.effect);
    }
    port.factor = std::exp(effect);
    const auto same = std::ranges::find_if(ports, [&](const SlowLink& other) {
      return other.egress == port.egress && other.ingress == port.ingress &&
             alike(std::log(other.factor), effect);
    });
    if (same == ports.end()) {
      ports.push_back(std::move(port));
      continue;
    }
    same->ranks.push_back(rank);
    same->factor = std::min(same->factor, port.factor);
  }
  return ports;
}

// Returns whether a put uses the slow link.
bool is_on(const SlowLink& slow, const TransferRecord& put) {
  if (slow.kind == SlowLink::Kind::kPath) return put.src == slow.from && put.dst == slow.to;
  if (slow.kind == SlowLink::Kind::kPlane) return put.plane == slow.plane;
  if (slow.kind == SlowLink::Kind::kAll) return true;
  return (slow.egress && std::ranges::binary_search(slow.ranks, put.src)) ||
         (slow.ingress && std::ranges::binary_search(slow.ranks, put.dst));
}

void add_longest_put(const LinkRates& rates, SlowLink& link) {
  for (const auto& row : rates.longest)
    for (const TransferRecord* put : row)
      if (put && is_on(link, *put) && (!link.longest || put->length() > link.longest->length()))
        link.longest = put;
}

// Returns the plane whose cells are all slow, if cells of others are healthy.
std::optional<SlowLink> slow_plane(const LinkRates& rates, double healthy, double low) {
  struct Sum {
    std::vector<double> slow;
    std::size_t fast = 0;
    std::set<std::uint32_t> ranks;
  };
  std::map<std::uint16_t, Sum> planes;
  for (std::uint32_t s = 0; s < rates.cells.size(); ++s) {
    for (std::uint32_t d = 0; d < rates.cells.size(); ++d) {
      if (std::isnan(rates.cells[s][d]) || !rates.longest[s][d]) continue;
      Sum& sum = planes[rates.longest[s][d]->plane];
      const double cell = rates.cells[s][d] - healthy;
      if (cell < low)
        sum.slow.push_back(cell);
      else
        ++sum.fast;
      sum.ranks.insert({s, d});
    }
  }
  const auto is_slow = [](const auto& plane) { return !plane.second.slow.empty(); };
  if (planes.size() < 2 || std::ranges::count_if(planes, is_slow) != 1) return {};
  const auto& [number, sum] = *std::ranges::find_if(planes, is_slow);
  if (sum.fast > 0 || sum.slow.size() < kLeastOfPlane) return {};
  SlowLink link;
  link.kind = SlowLink::Kind::kPlane;
  link.plane = number;
  link.ranks.assign(sum.ranks.begin(), sum.ranks.end());
  link.egress = link.ingress = true;
  link.factor = std::exp(median(sum.slow));
  return link;
}

}  // namespace

LinkRates::LinkRates(std::size_t ranks)
    : cells(ranks, std::vector<double>(ranks, std::numeric_limits<double>::quiet_NaN())),
      longest(ranks, std::vector<const TransferRecord*>(ranks)) {}

void LinkRates::add_longest(const TransferRecord& put) {
  const TransferRecord*& of_cell = longest[put.src][put.dst];
  if (!of_cell || put.length() > of_cell->length()) of_cell = &put;
}

std::vector<SlowLink> slow_links_of(const LinkRates& rates, const SlowLinkLimits& limits) {
  const std::vector<double> all = all_cells(rates);
  if (all.empty()) return {};
  const double best = std::min(0.0, quantile(all, kHealthiest));
  const bool none_healthy = best < limits.low;
  std::vector<SlowLink> links;
  if (const std::optional<SlowLink> plane = slow_plane(rates, none_healthy ? best : 0, limits.low)) {
    links.push_back(*plane);
  } else {
    std::vector<std::vector<double>> cells = rates.cells;
    for (auto& row : cells)
      for (double& cell : row) cell -= none_healthy ? best : 0;
    SlowCells slow(std::move(cells), rates, limits);
    links = joined(slow.ports());
    // If many paths are slow, the reason is how ranks exchange, not a fault of each path.
    const std::vector<SlowLink> paths = slow.paths();
    if (2 * paths.size() <= rates.cells.size()) links.insert(links.end(), paths.begin(), paths.end());
  }
  if (links.empty() && none_healthy) {
    SlowLink& link = links.emplace_back();
    link.kind = SlowLink::Kind::kAll;
    link.factor = std::exp(median(all));
  }
  std::ranges::stable_sort(links, {}, &SlowLink::factor);
  if (links.empty()) return links;
  const double worst = std::log(links.front().factor);
  std::erase_if(links, [&](const SlowLink& link) { return std::log(link.factor) > limits.beside * worst; });
  for (SlowLink& link : links) add_longest_put(rates, link);
  return links;
}

}  // namespace a3sim
