#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/config/model_config.h"
#include "sim/core/config/config.h"
#include "sim/device/hardware.h"

namespace a3sim {

// What tells a rank from the others, beside its schedule.
struct RankOptions {
  std::uint32_t die = 0;
  Duration start{};  // how much later than the common start its first kernel is launched
  double clock = 1;  // of the hardware's, positive
  double hbm = 1;    // of the hardware's rates, positive
};

std::vector<std::uint32_t> dies_of(std::span<const RankOptions> ranks);

// By rank, of `ep`: where its die lies follows from the block `parallel`, the rest stands in the block
// `ranks`. Notes what is wrong with them.
std::vector<RankOptions> read_ranks(const Config& root, std::uint32_t ep, const Parallel& parallel,
                                    const Hardware::Fabric& fabric);

}  // namespace a3sim
