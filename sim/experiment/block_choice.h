#pragma once

#include "sim/experiment/experiment.h"

namespace a3sim {

// The width of the blocks of an m x n product on so many cores: the usual one where there are two rounds of blocks for all
// cores, or more. Otherwise the one, of whole fractals and no wider, whose rounds take the least: the widest of
// these.
std::uint32_t chosen_base_n(std::uint32_t m, std::uint32_t n, const Tiling& usual, std::uint32_t cores);

// Narrows the experiment's blocks as its product, the first one, has them chosen.
void choose_blocks(Experiment& experiment);

}  // namespace a3sim
