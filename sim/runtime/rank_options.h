#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/config/model_config.h"
#include "sim/core/config/config.h"
#include "sim/device/hardware.h"

namespace a3sim {

// The options of one rank; its schedule is separate.
struct RankOptions {
  std::uint32_t die = 0;
  Duration start{};  // delay of its first kernel's launch after the common start
  double clock = 1;  // as a multiple of the hardware's clock; positive
  double hbm = 1;    // as a multiple of the hardware's HBM rates; positive
};

std::vector<std::uint32_t> dies_of(std::span<const RankOptions> ranks);

// Reads the options of `ep` ranks, one entry per rank: their dies from the block `parallel`, all else from
// the block `ranks`. Notes errors in them.
std::vector<RankOptions> read_ranks(const Config& root, std::uint32_t ep, const Parallel& parallel,
                                    const Hardware::Fabric& fabric);

}  // namespace a3sim
