#include "sim/runtime/port_load.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace a3sim {
namespace {

// Ports cannot use the hundredth of each memory resource that Memory keeps for tasks.
double most(BytesPerSecond capacity) { return 0.99 * static_cast<double>(capacity.count); }

// A port's rate, and the bytes of a resource that each of its bytes takes.
struct Use {
  double rate, weight;
};

// Returns the rate at which the highest ports fill a resource, or infinity if they cannot.
double highest_rate(double left, std::vector<Use> uses) {
  std::ranges::sort(uses, {}, &Use::rate);
  double weight = 0;  // of the ports that are not lower
  for (const Use& use : uses) weight += use.weight;
  for (const Use& use : uses) {
    if (use.rate * weight > left) return left / weight;
    left -= use.rate * use.weight;
    weight -= use.weight;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

bool PortLoad::serves(double read, double write) const {
  constexpr double kNoise = 1 + 1e-9;  // of sums of rates
  const std::array<double, kResources> needs = rates(read, write);
  return needs[0] <= most(memory_.l2_read) * kNoise && needs[1] <= most(memory_.l2_write) * kNoise &&
         needs[2] <= most(memory_.hbm_read) * kNoise;
}

PortLimits PortLoad::limits(std::span<const double> read, std::span<const double> write) const {
  std::vector<Use> leaving, arriving, all;
  for (const double rate : read) leaving.push_back({rate, 1});
  for (const double rate : write) arriving.push_back({rate, 1});
  const PortLimits l2{highest_rate(most(memory_.l2_read), leaving),
                      highest_rate(most(memory_.l2_write), arriving)};
  for (const Use& use : leaving) all.push_back({std::min(use.rate, l2.egress), leaving_.part()});
  for (const Use& use : arriving) all.push_back({std::min(use.rate, l2.ingress), arriving_.part()});
  const double hbm = highest_rate(most(memory_.hbm_read), std::move(all));
  return {std::min(l2.egress, hbm), std::min(l2.ingress, hbm)};
}

}  // namespace a3sim
