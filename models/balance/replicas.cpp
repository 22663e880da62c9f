#include "models/balance/replicas.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "models/balance/dynamic_experts.h"
#include "sim/core/ids.h"

namespace a3sim {
namespace {

// Packs items into packs of equal numbers. Returns the items of each pack, in the order in which they came.
std::vector<std::vector<std::uint32_t>> balanced_packs(std::span<const double> weights, std::uint32_t packs) {
  const std::size_t room = weights.size() / packs;
  std::vector<std::vector<std::uint32_t>> packed(packs);
  if (room == 1) {
    for (std::uint32_t i = 0; i < packs; ++i) packed[i] = {i};
    return packed;
  }
  std::vector<double> load(packs, 0);
  for (const std::uint32_t item : hottest_first(weights)) {
    std::uint32_t least = kNone;
    for (std::uint32_t p = 0; p < packs; ++p)
      if (packed[p].size() < room && (least == kNone || load[p] < load[least])) least = p;
    packed[least].push_back(item);
    load[least] += weights[item];
  }
  return packed;
}

// Returns the expert in each of `slots`: all of them, and then copies.
std::vector<std::uint32_t> with_copies(std::span<const double> weights, std::size_t slots) {
  std::vector<std::uint32_t> expert_at(weights.size());
  std::iota(expert_at.begin(), expert_at.end(), 0U);
  std::vector<double> copies(weights.size(), 1);
  while (expert_at.size() < slots) {
    std::uint32_t most = 0;
    for (std::uint32_t e = 1; e < weights.size(); ++e)
      if (weights[e] / copies[e] > weights[most] / copies[most]) most = e;
    expert_at.push_back(most);
    ++copies[most];
  }
  return expert_at;
}

}  // namespace

std::vector<std::uint32_t> eplb_slots(std::span<const double> loads, const ReplicaSlots& slots) {
  const auto experts = static_cast<std::uint32_t>(loads.size());
  std::uint32_t groups = slots.groups, nodes = slots.nodes;
  if (groups == 0 || nodes == 0 || groups % nodes != 0) groups = nodes = 1;
  if (slots.ranks == 0 || slots.slots % slots.ranks != 0 || slots.slots < experts || experts % groups != 0 ||
      slots.ranks % nodes != 0)
    throw std::logic_error("slots for experts that do not divide");
  const std::uint32_t group_size = experts / groups;
  std::vector<double> of_group(groups, 0);
  for (std::uint32_t e = 0; e < experts; ++e) of_group[e / group_size] += loads[e];
  std::vector<std::uint32_t> expert_at;
  for (const std::vector<std::uint32_t>& node : balanced_packs(of_group, nodes)) {
    std::vector<std::uint32_t> own;  // experts of the node
    for (const std::uint32_t group : node)
      for (std::uint32_t i = 0; i < group_size; ++i) own.push_back(group * group_size + i);
    std::vector<double> weights, per_copy;
    for (const std::uint32_t expert : own) weights.push_back(loads[expert]);
    const std::vector<std::uint32_t> copies = with_copies(weights, slots.slots / nodes);
    std::vector<double> number(own.size(), 0);
    for (const std::uint32_t e : copies) ++number[e];
    for (const std::uint32_t e : copies) per_copy.push_back(weights[e] / number[e]);
    for (const std::vector<std::uint32_t>& rank : balanced_packs(per_copy, slots.ranks / nodes))
      for (const std::uint32_t copy : rank) expert_at.push_back(own[copies[copy]]);
  }
  return expert_at;
}

RoutingCounts by_slot(const RoutingCounts& counts, std::span<const std::uint32_t> expert_at) {
  std::vector<std::vector<std::uint32_t>> slots_of(counts.experts());
  for (std::uint32_t slot = 0; slot < expert_at.size(); ++slot) slots_of[expert_at[slot]].push_back(slot);
  RoutingCounts result(counts.ranks(), static_cast<std::uint32_t>(expert_at.size()));
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) {
      const std::uint32_t rows = counts.at(src, e);
      const auto copies = static_cast<std::uint32_t>(slots_of[e].size());
      for (std::uint32_t i = 0; i < copies;
           ++i)  // what does not divide begins at another copy on each source
        result.at(src, slots_of[e][(src + i) % copies]) = rows / copies + (i < rows % copies ? 1 : 0);
    }
  }
  return result;
}

std::vector<ExpertCopy> copies_between(std::span<const std::uint32_t> before,
                                       std::span<const std::uint32_t> after, std::uint32_t ranks) {
  const std::size_t had = before.size() / ranks, has = after.size() / ranks;
  std::set<std::pair<std::uint32_t, std::uint32_t>> there;  // expert, rank
  for (std::size_t slot = 0; slot < before.size(); ++slot)
    there.emplace(before[slot], static_cast<std::uint32_t>(slot / had));
  std::vector<std::uint32_t> sent(ranks, 0);
  std::vector<ExpertCopy> copies;
  std::set<std::pair<std::uint32_t, std::uint32_t>> come;
  for (std::size_t slot = 0; slot < after.size(); ++slot) {
    const std::uint32_t expert = after[slot], to = static_cast<std::uint32_t>(slot / has);
    if (there.contains({expert, to}) || !come.emplace(expert, to).second) continue;
    std::uint32_t from = kNone;
    for (auto at = there.lower_bound({expert, 0}); at != there.end() && at->first == expert; ++at)
      if (from == kNone || sent[at->second] < sent[from]) from = at->second;
    if (from == kNone) throw std::logic_error("an expert that no rank had");
    ++sent[from];
    copies.push_back({expert, from, to});
  }
  return copies;
}

}  // namespace a3sim
