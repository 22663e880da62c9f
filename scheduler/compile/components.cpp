#include "scheduler/compile/components.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <numeric>
#include <utility>
#include <vector>

namespace a3sim {

namespace {

// Disjoint sets of numbers, each named by its smallest member. Without heights they take half the memory of
// boost::disjoint_sets, which matters for large groups.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }

  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void unite(std::uint32_t x, std::uint32_t y) {
    x = find(x);
    y = find(y);
    parent_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

Components::Components(const Dependencies& dependencies) {
  const auto groups = static_cast<std::uint32_t>(dependencies.groups().size());
  waits_for.assign(groups, kNone);
  counts_in.assign(groups, kNone);
  DisjointSets sets(2 * std::size_t{groups});  // consumer sides, then producer sides
  for (const Dependency& edge : dependencies.edges()) sets.unite(edge.consumer, groups + edge.producer);
  // A set is named by its first consumer. Edges are sorted by consumer, so that one is seen before the
  // others.
  for (const Dependency& edge : dependencies.edges()) {
    const std::uint32_t first = sets.find(edge.consumer);
    if (waits_for[first] == kNone) waits_for[first] = count++;
    waits_for[edge.consumer] = counts_in[edge.producer] = waits_for[first];
  }
}

std::uint64_t Components::pairs(const Dependencies& dependencies) const {
  std::vector<std::uint64_t> producers(count), consumers(count);
  for (std::uint32_t g = 0; g < dependencies.groups().size(); ++g) {
    const std::uint64_t tasks = dependencies.groups()[g].count;
    if (waits_for[g] != kNone) consumers[waits_for[g]] += tasks;
    if (counts_in[g] != kNone) producers[counts_in[g]] += tasks;
  }
  std::uint64_t sum = 0;
  for (std::uint32_t c = 0; c < count; ++c) sum += producers[c] * consumers[c];
  return sum;
}

bool Components::rise(const Dependencies& dependencies, std::span<const OperatorInfo> operators) const {
  const std::span<const TaskGroup> groups = dependencies.groups();
  std::vector<std::uint32_t> latest(count);  // latest stage of the tasks that trigger each
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    if (counts_in[g] == kNone) continue;
    latest[counts_in[g]] = std::max(latest[counts_in[g]], operators[groups[g].op].stage);
  }
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    if (waits_for[g] != kNone && operators[groups[g].op].stage <= latest[waits_for[g]]) return false;
  }
  return true;
}

std::vector<bool> Components::on_circles() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> leads;
  std::vector<bool> result(count);
  for (std::size_t g = 0; g < waits_for.size(); ++g) {
    if (waits_for[g] == kNone || counts_in[g] == kNone) continue;
    leads.emplace_back(waits_for[g], counts_in[g]);
    if (waits_for[g] == counts_in[g]) result[waits_for[g]] = true;
  }
  std::sort(leads.begin(), leads.end());
  leads.erase(std::unique(leads.begin(), leads.end()), leads.end());

  using Csr = boost::compressed_sparse_row_graph<boost::directedS>;
  const Csr graph(boost::edges_are_sorted, leads.begin(), leads.end(), count);
  std::vector<std::uint32_t> circle(count), size(count);
  boost::strong_components(
      graph, boost::make_iterator_property_map(circle.begin(), boost::get(boost::vertex_index, graph)));
  for (const std::uint32_t c : circle) ++size[c];
  for (std::uint32_t c = 0; c < count; ++c) {
    if (size[circle[c]] > 1) result[c] = true;
  }
  return result;
}

}  // namespace a3sim
