#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sim/core/config/config.h"
#include "sim/memory/l2/l2.h"

namespace a3sim {

// The contents of the L2 at the start of a run.
enum class L2Start : std::uint8_t {
  kCold,  // empty
  kWarm,  // left by an earlier run on the same memory
  kUsed   // left by earlier runs on other memory: nothing useful, and lines to write back
};
constexpr auto names_of(L2Start) { return std::to_array<std::string_view>({"cold", "warm", "used"}); }

// Options of every device's L2.
struct L2Options {
  L2Spec spec;         // its size is the hardware's
  bool exact = false;  // every line, instead of pieces of tensors
  L2Start start = L2Start::kCold;
  std::map<std::string, L2Hint> read_hints, write_hints;  // by operator
  // By operator, for all operators: an L2 that answers with these rates instead of keeping contents.
  std::map<std::string, L2Rates> rates{};
};

// Reads the block `l2`: policy, mode, start, hash, seed and hints. Notes errors.
L2Options read_l2(const Config& config);

}  // namespace a3sim
