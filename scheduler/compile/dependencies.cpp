#include "scheduler/compile/dependencies.h"

#include <algorithm>
#include <utility>

#include "scheduler/compile/access_sweep.h"

namespace a3sim {

Dependencies::Dependencies(std::vector<TaskGroup> groups, std::vector<Dependency> edges)
    : groups_(std::move(groups)) {
  set_edges(std::move(edges));
}

Dependencies Dependencies::find(const TaskflowView& taskflow) {
  std::vector<TaskGroup> groups;
  std::vector<Dependency> edges;
  {
    AccessSweep sweep(taskflow);
    const auto ranks = static_cast<std::uint32_t>(taskflow.ranks.size());
    sweep.begin(0, ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) sweep.add(r);
    edges = sweep.take_edges();
    groups = sweep.take_groups();
  }
  return {std::move(groups), std::move(edges)};
}

std::uint64_t Dependencies::pairs() const {
  std::uint64_t sum = 0;
  for (const Dependency& edge : edges_) {
    sum += std::uint64_t{groups_[edge.consumer].count} * groups_[edge.producer].count;
  }
  return sum;
}

std::uint32_t Dependencies::add_group(std::uint32_t rank, std::uint32_t op, std::uint32_t task) {
  groups_.push_back({rank, op, task, 1});
  offsets_.push_back(offsets_.back());
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

void Dependencies::set_edges(std::vector<Dependency> edges) {
  offsets_.assign(groups_.size() + 1, 0);
  for (const Dependency& edge : edges) ++offsets_[edge.consumer + 1];
  for (std::size_t g = 0; g < groups_.size(); ++g) offsets_[g + 1] += offsets_[g];
  edges_.resize(edges.size());
  for (const Dependency& edge : edges)
    edges_[offsets_[edge.consumer]++] = edge;  // up to the next one's first
  std::uint32_t begin = 0, kept = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::span<Dependency> group_edges = std::span(edges_).subspan(begin, offsets_[g] - begin);
    begin = offsets_[g];
    offsets_[g] = kept;
    if (!std::is_sorted(group_edges.begin(), group_edges.end()))
      std::sort(group_edges.begin(), group_edges.end());
    for (const Dependency& edge : group_edges) {
      if (kept == offsets_[g] || edges_[kept - 1] != edge) edges_[kept++] = edge;
    }
  }
  offsets_.back() = kept;
  edges_.resize(kept);
}

}  // namespace a3sim
