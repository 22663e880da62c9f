#include "sim/sweep/tried_cost.h"

#include <algorithm>
#include <set>

namespace a3sim {

TriedCost::TriedCost(const std::vector<std::string>& taskflows, const std::vector<std::uint64_t>& wanted)
    : taskflows_(taskflows) {
  std::map<std::string, std::size_t> number;
  for (const std::uint64_t position : wanted) {
    const auto [found, is_new] = number.emplace(taskflows[position], groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[found->second].push_back(position);
  }
}

std::vector<std::uint64_t> TriedCost::to_try() const {
  constexpr std::size_t kMostTaskflows = 3;
  std::set<std::uint64_t> tried;
  for (std::size_t i = 0; i < kMostTaskflows && !groups_.empty(); ++i) {
    const std::vector<std::uint64_t>& group = groups_[i * (groups_.size() - 1) / (kMostTaskflows - 1)];
    tried.insert({group.front(), group.back()});
  }
  // A sweep of one taskflow shows how its points differ.
  if (groups_.size() == 1) tried.insert(groups_.front()[groups_.front().size() / 2]);
  return {tried.begin(), tried.end()};
}

void TriedCost::add(std::uint64_t position, double seconds) {
  tried_[taskflows_[position]].push_back(seconds);
}

double TriedCost::alone() const {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& [taskflow, times] : tried_) {
    for (std::size_t t = times.size() > 1 ? 1 : 0; t < times.size(); ++t) {
      sum += times[t];
      ++count;
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

double TriedCost::shared() const {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& [taskflow, times] : tried_) {
    if (times.size() < 2) continue;
    sum += std::max(0.0, times[0] - times[1]);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) * static_cast<double>(groups_.size()) : 0;
}

}  // namespace a3sim
