#include "sim/runtime/rank_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/runtime/placements/host_placement.h"

namespace a3sim {
namespace {

// Returns the rank that a key of a mapping names; kNone (and an error) if it is not in the group.
std::uint32_t rank_of(const Config& config, const std::string& key, std::uint32_t ranks) {
  std::uint32_t rank = kNone;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), rank);
  if (error == std::errc() && end == key.data() + key.size() && rank < ranks) return rank;
  config.error(key, fmt::format("no rank of the group: expected a number from 0 to {}", ranks - 1));
  return kNone;
}

void refuse_dies_beyond(const Config& config, std::string_view key, const Hardware::Fabric& fabric,
                        std::uint64_t last, std::string_view what) {
  if (fabric.levels.empty() || fabric.levels.back().dies == kNone || last < fabric.levels.back().dies) return;
  config.error(key, fmt::format("{} need {} dies; the hardware's last level has {}", what, last + 1,
                                fabric.levels.back().dies));
}

// Reads `hosts: [0, 8, 1, 9]`: the die of each rank.
std::vector<std::uint32_t> read_host_list(const Config& config, std::uint32_t ranks) {
  std::vector<std::uint32_t> dies;
  for (const std::string& text : config.texts("hosts")) {
    std::uint32_t die = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), die);
    if (error != std::errc() || end != text.data() + text.size())
      config.error("hosts", fmt::format("'{}' is no number of a die", text));
    else if (std::ranges::find(dies, die) != dies.end())
      config.error("hosts", fmt::format("die {} stands there twice: each rank has its own", die));
    else
      dies.push_back(die);
  }
  if (dies.size() != ranks)
    config.error("hosts", fmt::format("{} dies for {} ranks, expected one each", dies.size(), ranks));
  return dies;
}

// Reads `hosts`: packed, a list of dies, or a mapping with `kind` (placements/). Returns the die of each
// rank; empty if ranks are packed.
std::vector<std::uint32_t> read_hosts(const Config& config, std::uint32_t ranks) {
  if (!config.is_map("hosts")) {
    if (const std::string text = config.yaml("hosts"); text.starts_with('['))
      return read_host_list(config, ranks);
    config.choice("hosts", {"packed"}, "packed");
    return {};
  }
  const Config map = config.map("hosts");
  const auto kind = map.registered<HostPlacement>("kind");
  std::vector<std::uint32_t> dies;
  if (kind) dies = HostPlacements::get(*kind).place(map, ranks);
  map.finish();
  return dies;
}

// Places ranks in one block per node, with a stride of dies between two ranks of a node.
void place(const Config& config, const Parallel& parallel, const Hardware::Fabric& fabric,
           std::vector<RankOptions>& ranks) {
  const auto ep = static_cast<std::uint32_t>(ranks.size());
  if (config.has("hosts")) {
    const std::vector<std::uint32_t> dies = read_hosts(config, ep);
    if (!dies.empty() && dies.size() != ep) return;  // noted
    for (std::uint32_t r = 0; r < dies.size(); ++r) ranks[r].die = dies[r];
    if (!dies.empty())
      return refuse_dies_beyond(config, "hosts", fabric, *std::ranges::max_element(dies), "they");
  }
  const std::uint32_t stride = parallel.tp_stride;
  std::uint64_t per_node = ep, node = 0;
  if (const std::uint32_t nodes = parallel.nodes; nodes > 1) {
    const Hardware::Fabric::Level* level = fabric.level("node");
    per_node = ep / nodes;
    if (!level || level->dies == kNone) {
      config.error("nodes", "the hardware's fabric has no level 'node' with a number of dies");
    } else if (per_node == 0 || ep % nodes != 0 || per_node * stride > level->dies) {
      config.error("nodes", fmt::format("{} ranks, {} dies apart, do not lie evenly on {} nodes of {} dies",
                                        ep, stride, nodes, level->dies));
    } else {
      node = level->dies;
    }
  }
  per_node = std::max<std::uint64_t>(per_node, 1);  // noted above; continue with a valid value
  std::uint64_t last = 0;
  for (std::uint32_t r = 0; r < ep; ++r) {
    last = r / per_node * node + (r % per_node) * stride;
    ranks[r].die = static_cast<std::uint32_t>(last);
  }
  refuse_dies_beyond(config, "ep", fabric, last, fmt::format("{} ranks, {} dies apart,", ep, stride));
}

}  // namespace

std::vector<std::uint32_t> dies_of(std::span<const RankOptions> ranks) {
  std::vector<std::uint32_t> dies;
  for (const RankOptions& rank : ranks) dies.push_back(rank.die);
  return dies;
}

std::vector<RankOptions> read_ranks(const Config& root, std::uint32_t ep, const Parallel& parallel,
                                    const Hardware::Fabric& fabric) {
  constexpr double kSlowest = 0.01, kFastest = 100;
  std::vector<RankOptions> ranks(ep);
  place(root.map("parallel"), parallel, fabric, ranks);
  const Config block = root.map("ranks"), starts = block.map("start"), clocks = block.map("clock");
  for (const std::string& key : starts.names()) {
    const Duration start = starts.duration(key);
    if (const std::uint32_t rank = rank_of(starts, key, ep); rank != kNone) ranks[rank].start = start;
  }
  for (const std::string& key : clocks.names()) {
    const double clock = clocks.number(key, kSlowest, kFastest);
    if (const std::uint32_t rank = rank_of(clocks, key, ep); rank != kNone) ranks[rank].clock = clock;
  }
  starts.finish();
  clocks.finish();
  block.finish();
  return ranks;
}

}  // namespace a3sim
