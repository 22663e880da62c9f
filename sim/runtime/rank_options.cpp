#include "sim/runtime/rank_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace a3sim {
namespace {

// The number of a rank that is a key of a mapping; kNone (and an error) if it is none of the group's.
std::uint32_t rank_of(const Config& config, const std::string& key, std::uint32_t ranks) {
  std::uint32_t rank = kNone;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), rank);
  if (error == std::errc() && end == key.data() + key.size() && rank < ranks) return rank;
  config.error(key, fmt::format("no rank of the group: expected a number from 0 to {}", ranks - 1));
  return kNone;
}

// In blocks of one node after another, stride dies between two ranks of a node.
void place(const Config& config, const Parallel& parallel, const Hardware::Fabric& fabric,
           std::vector<RankOptions>& ranks) {
  const auto ep = static_cast<std::uint32_t>(ranks.size());
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
  per_node = std::max<std::uint64_t>(per_node, 1);  // noted above; the rest goes on
  std::uint64_t last = 0;
  for (std::uint32_t r = 0; r < ep; ++r) {
    last = r / per_node * node + (r % per_node) * stride;
    ranks[r].die = static_cast<std::uint32_t>(last);
  }
  if (fabric.levels.empty() || fabric.levels.back().dies == kNone || last < fabric.levels.back().dies) return;
  config.error("ep", fmt::format("{} ranks, {} dies apart, need {} dies; the hardware's last level has {}",
                                 ep, stride, last + 1, fabric.levels.back().dies));
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
