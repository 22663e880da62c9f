#pragma once

#include "models/operators/operator.h"

namespace a3sim {

// Return whether tasks of an operator do nothing but move rows between ranks, unlike a product that sends its
// result, and whether the rank that has the rows does so.
inline bool only_moves_rows(const Operator& op) {
  return op.mover() != Mover::kNone && op.unit() != CoreUnit::kMatrix;
}
inline bool only_puts_rows(const Operator& op) { return only_moves_rows(op) && op.mover() == Mover::kPush; }

}  // namespace a3sim
