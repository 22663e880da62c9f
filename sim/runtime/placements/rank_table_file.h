#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// A rank table of HCCL, version 1.0 or 1.2: the device of each rank.
struct RankTable {
  struct Rank {
    std::uint32_t pod = 0, server = 0, device = 0;  // a device is a die; servers count over all super-pods
    std::uint32_t server_in_pod = 0;
  };
  std::string version;
  std::vector<Rank> ranks;
  std::uint32_t servers = 0, pods = 0;
  std::vector<std::string>
      notes;  // what a reader should know: packages of which one die alone has a rank, ...

  // Returns the die of each rank, where a node has so many dies and a super-pod 48 nodes.
  std::vector<std::uint32_t> dies(std::uint32_t dies_a_node) const;
};

// True for JSON that looks like one.
bool is_rank_table(std::string_view text);
// Throws InputError with the file and what is wrong: ranks that are missing or stand there twice, two on one device, and
// what is no rank table.
RankTable read_rank_table(const std::filesystem::path& file);

}  // namespace a3sim
