#include "sim/diagnosis/rules/slow_cables.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace a3sim {
namespace {

constexpr double kAlikeFit = 1e-6;  // difference of two fits that is rounding

// A pair of ranks whose transfers were seen.
struct PairRate {
  std::uint32_t src, dst;
  double rate;  // logarithm
};

// What may be slow: the part of each pair's bytes that crosses it, of the largest such part.
struct Suspect {
  std::string name;
  std::vector<double> crosses;  // by pair
};

// A straight line of rates against what crosses a suspect.
struct Fit {
  double slope = 0;  // of what crosses it wholly
  double part = 0;   // of the variance
};

Fit fit_of(const std::vector<PairRate>& pairs, const std::vector<double>& crosses) {
  const auto count = static_cast<double>(pairs.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    mean_x += crosses[p] / count;
    mean_y += pairs[p].rate / count;
  }
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const double x = crosses[p] - mean_x, y = pairs[p].rate - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (xx == 0 || yy == 0) return {};
  return {xy / xx, xy * xy / (xx * yy)};
}

std::string from_of(const std::string& cable) { return cable.substr(0, cable.find("->")); }
std::string to_of(const std::string& cable) {
  const std::size_t arrow = cable.find("->");
  return arrow == std::string::npos ? "" : cable.substr(arrow + 2);
}

// The other way of "leaf3->spine1#2", "spine1->leaf3#2"; empty for links of which the ends are not known.
std::string back_of(const std::string& cable) {
  const std::string to = to_of(cable);
  if (to.empty()) return {};
  const std::size_t number = std::min(to.find('#'), to.size());
  return to.substr(0, number) + "->" + from_of(cable) + to.substr(number);
}

// Cables, both ways of them, and switches.
class Suspects {
 public:
  Suspects(const std::vector<PairRate>& pairs, std::span<const ObservedCables> cables)
      : pairs_(pairs.size()), cables_(cables) {
    for (std::size_t p = 0; p < pairs.size(); ++p) place_[{pairs[p].src, pairs[p].dst}] = p;
    for (const ObservedCables& alike : cables_) parts_.push_back(parts_of(alike));
  }

  std::vector<Suspect> all() const {
    std::vector<Suspect> suspects;
    std::map<std::string, std::size_t> group;  // by name of a cable
    std::map<std::string, std::vector<double>> switches;
    for (std::size_t g = 0; g < cables_.size(); ++g)
      for (const std::string& name : cables_[g].names) group[name] = g;
    for (const auto& [name, g] : group) {
      add({name, parts_[g]}, suspects);
      const auto back = group.find(back_of(name));
      if (back == group.end()) continue;
      if (name < back->first) {
        std::vector<double> both = parts_[g];
        raise(parts_[back->second], both);
        add({from_of(name) + '-' + to_of(name), std::move(both)}, suspects);
      }
      for (const std::string& end : {from_of(name), from_of(back->first)}) {
        std::vector<double>& crosses = switches.try_emplace(end, pairs_, 0.0).first->second;
        raise(parts_[g], crosses);
      }
    }
    for (auto& [name, crosses] : switches) add({"switch " + name, std::move(crosses)}, suspects);
    return suspects;
  }

 private:
  std::vector<double> parts_of(const ObservedCables& alike) const {
    std::vector<double> parts(pairs_, 0);
    for (const ObservedCables::Way& way : alike.ways)
      if (const auto found = place_.find({way.src, way.dst}); found != place_.end())
        parts[found->second] = way.part;
    return parts;
  }
  static void raise(const std::vector<double>& by, std::vector<double>& parts) {
    for (std::size_t p = 0; p < parts.size(); ++p) parts[p] = std::max(parts[p], by[p]);
  }
  // What one pair alone crosses is a path.
  static void add(Suspect suspect, std::vector<Suspect>& suspects) {
    const double most = *std::ranges::max_element(suspect.crosses);
    if (most == 0) return;
    for (double& part : suspect.crosses) part /= most;
    if (std::ranges::count_if(suspect.crosses, [](double part) { return part > 0; }) > 1)
      suspects.push_back(std::move(suspect));
  }

  std::size_t pairs_;
  std::span<const ObservedCables> cables_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> place_;
  std::vector<std::vector<double>> parts_;  // by place in cables_
};

std::vector<PairRate> pairs_of(const LinkRates& rates) {
  std::vector<PairRate> pairs;
  for (std::uint32_t s = 0; s < rates.cells.size(); ++s)
    for (std::uint32_t d = 0; d < rates.cells.size(); ++d)
      if (s != d && !std::isnan(rates.cells[s][d])) pairs.push_back({s, d, rates.cells[s][d]});
  return pairs;
}

// Of each side of a rank's ports, and of both.
double best_port(const std::vector<PairRate>& pairs, std::size_t ranks) {
  double best = 0;
  std::vector<double> crosses(pairs.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const auto& [egress, ingress] : {std::pair(true, false), {false, true}, {true, true}}) {
      for (std::size_t p = 0; p < pairs.size(); ++p)
        crosses[p] = (egress && pairs[p].src == rank) || (ingress && pairs[p].dst == rank) ? 1 : 0;
      if (const Fit fit = fit_of(pairs, crosses); fit.slope < 0) best = std::max(best, fit.part);
    }
  }
  return best;
}

}  // namespace

std::optional<SlowCables> slow_cables_of(const LinkRates& rates, std::span<const ObservedCables> cables) {
  const std::vector<PairRate> pairs = pairs_of(rates);
  if (pairs.empty() || cables.empty()) return std::nullopt;
  std::vector<std::pair<Fit, const Suspect*>> fits;
  const std::vector<Suspect> suspects = Suspects(pairs, cables).all();
  for (const Suspect& suspect : suspects)
    if (const Fit fit = fit_of(pairs, suspect.crosses); fit.slope < 0) fits.emplace_back(fit, &suspect);
  if (fits.empty()) return std::nullopt;
  const auto best = std::ranges::max_element(fits, {}, [](const auto& of) { return of.first.part; });
  SlowCables slow;
  slow.fit = best->first.part;
  slow.factor = std::exp(best->first.slope);
  for (const auto& [fit, suspect] : fits)
    if (fit.part >= slow.fit - kAlikeFit) slow.names.push_back(suspect->name);
  slow.port_fit = best_port(pairs, rates.cells.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (best->second->crosses[p] == 0) continue;
    ++slow.over;
    const TransferRecord* const put = rates.longest[pairs[p].src][pairs[p].dst];
    if (put && (!slow.longest || put->length() > slow.longest->length())) slow.longest = put;
  }
  return slow;
}

}  // namespace a3sim
