#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/runtime/placements/host_placement.h"
#include "sim/runtime/placements/rank_table_file.h"

namespace a3sim {
namespace {

// `{kind: rank_table, file: hccl.json}`: places ranks as a rank table of HCCL does.
std::vector<std::uint32_t> place_by_table(const Config& config, std::uint32_t ranks) {
  constexpr std::int64_t kDiesANode = 16, kMostDies = 64;
  const auto node = static_cast<std::uint32_t>(config.integer("node", 1, kMostDies, kDiesANode));
  const std::filesystem::path file = config.file("file");
  if (file.empty()) return {};
  try {
    const RankTable table = read_rank_table(file);
    if (table.ranks.size() != ranks)
      config.error("file", fmt::format("{}: {} ranks, and the group has {}: --set parallel.ep={}",
                                       file.string(), table.ranks.size(), ranks, table.ranks.size()));
    for (const RankTable::Rank& rank : table.ranks)
      if (rank.device >= node) {
        config.error("node",
                     fmt::format("device_id {} on nodes of {} dies, expected more", rank.device, node));
        return {};
      }
    return table.dies(node);
  } catch (const InputError& error) {
    config.error("file", error.what());
    return {};
  }
}

A3SIM_REGISTER(HostPlacement, "rank_table",
               "as a rank table of HCCL (JSON 1.0 or 1.2) says, on nodes of 16 dies",
               HostPlacement{place_by_table});

}  // namespace
}  // namespace a3sim
