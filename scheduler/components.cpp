#include "scheduler/components.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/property_map.hpp>
#include <utility>
#include <vector>

namespace a3sim {

Components::Components(const Dependencies& dependencies) {
  const auto groups = static_cast<std::uint32_t>(dependencies.groups().size());
  waits_for.assign(groups, kNone);
  counts_in.assign(groups, kNone);
  std::vector<std::uint32_t> height(2 * std::size_t{groups}), parent(height.size());
  const boost::typed_identity_property_map<std::size_t> at;
  // Of consumer sides, then producer sides.
  boost::disjoint_sets sets(boost::make_iterator_property_map(height.begin(), at),
                            boost::make_iterator_property_map(parent.begin(), at));
  for (std::uint32_t x = 0; x < 2 * groups; ++x) sets.make_set(x);
  for (const Dependency& edge : dependencies.edges()) sets.union_set(edge.consumer, groups + edge.producer);

  std::vector<std::uint32_t> number(2 * groups, kNone);
  for (const Dependency& edge : dependencies.edges()) {
    std::uint32_t& component = number[sets.find_set(edge.consumer)];
    if (component == kNone) component = count++;
    waits_for[edge.consumer] = component;
    counts_in[edge.producer] = component;
  }
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
