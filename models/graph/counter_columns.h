#pragma once

#include <cstdint>

namespace a3sim {

// Columns of a tensor of counters, of int32: 32 bytes, the least that a core copies.
constexpr std::uint32_t kCounterColumns = 8;

}  // namespace a3sim
