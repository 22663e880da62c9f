#include "sim/study/sweep/order_of_work.h"

#include <algorithm>
#include <map>

namespace a3sim {

OrderOfWork::OrderOfWork(const std::vector<std::uint64_t>& points, const std::vector<std::string>& taskflows,
                         unsigned workers)
    : of_worker_(workers, 0) {
  std::map<std::string, std::size_t> group_of;
  for (const std::uint64_t point : points) {
    const auto [found, is_new] = group_of.emplace(taskflows[point], groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[found->second].points.push_back(point);
  }
  of_worker_.assign(workers, groups_.size());
}

std::optional<std::uint64_t> OrderOfWork::next(unsigned worker) {
  std::size_t& own = of_worker_[worker];
  if (own == groups_.size() || groups_[own].left() == 0) {
    while (first_ < groups_.size() && groups_[first_].begun) ++first_;
    own =
        first_ < groups_.size()
            ? first_
            : static_cast<std::size_t>(std::ranges::max_element(groups_, {}, &Group::left) - groups_.begin());
  }
  if (own == groups_.size() || groups_[own].left() == 0) return std::nullopt;
  Group& group = groups_[own];
  group.begun = true;
  return group.points[group.given++];
}

}  // namespace a3sim
