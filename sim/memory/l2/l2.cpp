#include "sim/memory/l2/l2.h"

#include "sim/core/error.h"

namespace a3sim {

L2Traffic L2::total() const {
  L2Traffic total;
  for (const L2Traffic& traffic : by_op_) total += traffic;
  return total;
}

void L2::forget_counts() {
  for (L2Traffic& traffic : by_op_) traffic = {};
  forget_more();
}

void check(const L2Spec& spec) {
  if (spec.ways < 1 || spec.ways > 64) {
    throw InputError("the L2 has " + std::to_string(spec.ways) + " ways; expected 1 to 64");
  }
  const std::int64_t stride = std::int64_t{spec.ways} * kL2Line;
  if (spec.size.count <= 0 || spec.size.count % stride != 0) {
    throw InputError("the L2 has " + std::to_string(spec.size.count) + " bytes; expected a multiple of " +
                     std::to_string(stride) + " (" + std::to_string(spec.ways) + " ways of lines of " +
                     std::to_string(kL2Line) + " bytes)");
  }
}

}  // namespace a3sim
