#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sim/core/error.h"
#include "sim/experiment/kernels/chakra.h"
#include "traces/import/profile.h"

namespace a3sim {
namespace {

class ChakraPlanner {
 public:
  explicit ChakraPlanner(ChakraGraph graph) { plan_.graph = std::move(graph); }

  ChakraPlan plan() {
    find_dependencies();
    event_of_.resize(ranks());
    for (std::uint32_t r = 0; r < ranks(); ++r) event_of_[r].assign(rank(r).nodes.size(), kNone);
    join_collectives();
    join_sends();
    for (std::uint32_t r = 0; r < ranks(); ++r)
      for (std::uint32_t n = 0; n < rank(r).nodes.size(); ++n)
        if (event_of_[r][n] == kNone) add_event({{{r, n}}, 0});
    sort();
    count_names();
    return std::move(plan_);
  }

 private:
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(plan_.graph.ranks.size()); }
  const ChakraRank& rank(std::uint32_t r) const { return plan_.graph.ranks[r]; }
  const ChakraNode& node(ChakraPlace at) const { return rank(at.rank).nodes[at.node]; }
  std::string text(ChakraPlace at) const {
    return fmt::format("{}: node {} ('{}')", rank(at.rank).file, node(at).id, printable(node(at).name));
  }
  [[noreturn]] void refuse(ChakraPlace at, const std::string& why) const {
    throw InputError(fmt::format("{}: {}", text(at), why));
  }

  void find_dependencies() {
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      std::unordered_map<std::uint64_t, std::uint32_t> places;
      for (std::uint32_t n = 0; n < rank(r).nodes.size(); ++n) places[rank(r).nodes[n].id] = n;
      auto& after = plan_.after.emplace_back(rank(r).nodes.size());
      for (std::uint32_t n = 0; n < rank(r).nodes.size(); ++n)
        for (const std::uint64_t id : rank(r).nodes[n].after) after[n].push_back(places.at(id));
    }
  }

  void add_event(ChakraEvent event) {
    for (const ChakraPlace at : event.nodes)
      event_of_[at.rank][at.node] = static_cast<std::uint32_t>(plan_.events.size());
    plan_.events.push_back(std::move(event));
  }

  // By group and rank: its collectives in the order of the file.
  void join_collectives() {
    std::map<std::string, std::map<std::uint32_t, std::vector<std::uint32_t>>> by_group;
    for (std::uint32_t r = 0; r < ranks(); ++r)
      for (std::uint32_t n = 0; n < rank(r).nodes.size(); ++n)
        if (rank(r).nodes[n].type == ChakraType::kCollective)
          by_group[rank(r).nodes[n].group][r].push_back(n);
    plan_.groups.emplace_back();
    for (auto& [name, of_ranks] : by_group) {
      if (!name.empty()) plan_.groups.push_back(name);
      const auto number = static_cast<std::uint32_t>(name.empty() ? 0 : plan_.groups.size() - 1);
      check_members(name, of_ranks);
      std::size_t most = 0;
      for (const auto& [r, nodes] : of_ranks) most = std::max(most, nodes.size());
      for (std::size_t k = 0; k < most; ++k) join_collective(of_ranks, k, number);
    }
  }

  template <class Nodes>
  void check_members(const std::string& name, const Nodes& of_ranks) const {
    const auto listed = plan_.graph.groups.find(name);
    std::vector<std::uint32_t> members;
    if (listed != plan_.graph.groups.end()) members = listed->second;
    if (name.empty())
      for (std::uint32_t r = 0; r < ranks(); ++r) members.push_back(r);
    const auto& [first, nodes] = *of_ranks.begin();
    for (const std::uint32_t member : members)
      if (!of_ranks.contains(member))
        refuse({first, nodes.front()},
               fmt::format("rank {} of its group has no collective: expected all of them", member));
    if (members.empty()) return;
    for (const auto& [r, own] : of_ranks)
      if (!std::ranges::binary_search(members, r))
        refuse({r, own.front()},
               fmt::format("rank {} is not in group '{}' of comm_group.json", r, printable(name)));
  }

  template <class Nodes>
  void join_collective(const Nodes& of_ranks, std::size_t k, std::uint32_t group) {
    ChakraEvent event;
    event.group = group;
    for (const auto& [r, nodes] : of_ranks) {
      const auto& [other, theirs] = *of_ranks.begin();
      const ChakraPlace first{other, theirs[std::min(k, theirs.size() - 1)]};
      if (nodes.size() <= k || theirs.size() <= k)
        refuse(nodes.size() <= k ? first : ChakraPlace{r, nodes[k]},
               fmt::format("collective {} of its group, which rank {} has not: it would wait for ever", k,
                           nodes.size() <= k ? r : other));
      const ChakraPlace at{r, nodes[k]};
      if (node(at).collective != node(first).collective || node(at).bytes != node(first).bytes)
        refuse(at,
               fmt::format("{} of {} bytes, and {} of {} bytes on rank {}: expected the same, as they meet",
                           name_of(node(at).collective), node(at).bytes, name_of(node(first).collective),
                           node(first).bytes, other));
      event.nodes.push_back(at);
    }
    add_event(std::move(event));
  }

  void join_sends() {
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // source, destination, tag
    std::map<Key, std::pair<std::vector<ChakraPlace>, std::vector<ChakraPlace>>> pairs;
    for (std::uint32_t r = 0; r < ranks(); ++r)
      for (std::uint32_t n = 0; n < rank(r).nodes.size(); ++n) {
        const ChakraNode& one = rank(r).nodes[n];
        const bool sends = one.type == ChakraType::kSend;
        if (!sends && one.type != ChakraType::kReceive) continue;
        const std::uint32_t peer = sends ? one.destination : one.source;
        if (peer >= ranks()) refuse({r, n}, fmt::format("its peer is rank {} of {}", peer, ranks()));
        auto& [from, to] = pairs[sends ? Key{r, peer, one.tag} : Key{peer, r, one.tag}];
        (sends ? from : to).push_back({r, n});
      }
    std::set<std::uint32_t> destinations;
    for (const auto& [key, pair] : pairs) {
      const auto& [from, to] = pair;
      destinations.insert(std::get<1>(key));
      if (from.size() != to.size()) {
        const bool more = from.size() > to.size();
        refuse((more ? from : to)[std::min(from.size(), to.size())],
               fmt::format("there is no {} for it on rank {} (tag {})", more ? "receive" : "send",
                           more ? std::get<1>(key) : std::get<0>(key), std::get<2>(key)));
      }
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (node(to[i]).bytes != 0 && node(to[i]).bytes != node(from[i]).bytes)
          refuse(to[i], fmt::format("{} bytes, and its send has {}", node(to[i]).bytes, node(from[i]).bytes));
        add_event({{from[i], to[i]}, 0});
      }
    }
    plan_.destinations.assign(destinations.begin(), destinations.end());
  }

  // Puts events in order. Of those that wait for nothing more, the one of the earliest time and the smallest id comes first.
  void sort() {
    std::vector<std::vector<std::uint32_t>> before(plan_.events.size()), next(plan_.events.size());
    std::vector<std::size_t> open(plan_.events.size());
    for (std::uint32_t e = 0; e < plan_.events.size(); ++e) {
      for (const ChakraPlace at : plan_.events[e].nodes)
        for (const std::uint32_t after : plan_.after[at.rank][at.node])
          before[e].push_back(event_of_[at.rank][after]);
      std::ranges::sort(before[e]);
      before[e].erase(std::unique(before[e].begin(), before[e].end()), before[e].end());
      open[e] = before[e].size();
      for (const std::uint32_t b : before[e]) next[b].push_back(e);
    }
    using Entry =
        std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>;  // time, id, rank, event
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    const auto push = [&](std::uint32_t e) {
      const ChakraPlace first = plan_.events[e].nodes.front();
      ready.emplace(node(first).start, node(first).id, first.rank, e);
    };
    for (std::uint32_t e = 0; e < plan_.events.size(); ++e)
      if (open[e] == 0) push(e);
    while (!ready.empty()) {
      const std::uint32_t e = std::get<3>(ready.top());
      ready.pop();
      plan_.order.push_back(e);
      for (const std::uint32_t n : next[e])
        if (--open[n] == 0) push(n);
    }
    if (plan_.order.size() < plan_.events.size()) refuse_cycle(before, open);
  }

  [[noreturn]] void refuse_cycle(const std::vector<std::vector<std::uint32_t>>& before,
                                 const std::vector<std::size_t>& open) const {
    // From any event that waits, one that waits too is always among those before it.
    auto e = static_cast<std::uint32_t>(
        std::ranges::find_if(open, [](std::size_t count) { return count > 0; }) - open.begin());
    std::vector<std::uint32_t> way;
    while (std::ranges::find(way, e) == way.end()) {
      way.push_back(e);
      e = *std::ranges::find_if(before[e], [&](std::uint32_t b) { return open[b] > 0; });
    }
    constexpr std::size_t kMostShown = 5;
    std::vector<std::string> names;
    for (auto at = std::ranges::find(way, e); at != way.end() && names.size() < kMostShown; ++at) {
      const ChakraPlace first = plan_.events[*at].nodes.front();
      names.push_back(fmt::format("node {} of rank {}", node(first).id, first.rank));
    }
    refuse(plan_.events[e].nodes.front(),
           fmt::format("it waits for itself, through {}: no order runs them", fmt::join(names, ", ")));
  }

  void count_names() {
    constexpr std::size_t kMostNames = 1000;
    std::set<std::string_view> names;
    for (const ChakraRank& one : plan_.graph.ranks)
      for (const ChakraNode& node : one.nodes)
        if (names.size() <= kMostNames) names.insert(node.name);
    plan_.named = names.size() <= kMostNames;
  }

  ChakraPlan plan_;
  std::vector<std::vector<std::uint32_t>> event_of_;  // by rank and node
};

}  // namespace

ChakraPlan plan_chakra(ChakraGraph graph) { return ChakraPlanner(std::move(graph)).plan(); }

}  // namespace a3sim
