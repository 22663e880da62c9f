#pragma once

#include "sim/experiment/experiment.h"

namespace a3sim {

// Returns the width of the blocks of an m x n product on so many cores. This is the usual width if the blocks
// fill all cores at least twice. Otherwise it is the width, a multiple of a fractal and at most the usual
// one, whose rounds of blocks take the least time; of equal ones, the widest.
std::uint32_t chosen_base_n(std::uint32_t m, std::uint32_t n, const Tiling& usual, std::uint32_t cores);

// Narrows the experiment's blocks to the width chosen for its first product, if that is a plain tensor.
void choose_blocks(Experiment& experiment);

}  // namespace a3sim
