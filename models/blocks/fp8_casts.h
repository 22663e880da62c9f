#pragma once

#include <span>

#include "models/blocks/block_builder.h"
#include "models/blocks/fp8_recipe.h"

namespace a3sim {

// Returns the kernels that turn a tensor of 16 bits into operands of eight: a copy by rows for one product, and one by
// columns for the product that sums along the other side. A library may join them to the kernel before; here they stand alone.
std::span<const ElementwiseKernel> cast_passes(Fp8Recipe recipe);
// Returns the kernel that makes one copy.
ElementwiseKernel cast_pass(Fp8Recipe recipe);
// Returns the kernel that makes the copy by columns of the one by rows.
ElementwiseKernel turn_pass(Fp8Recipe recipe);

}  // namespace a3sim
