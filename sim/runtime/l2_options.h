#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sim/core/config/config.h"
#include "sim/memory/l2/l2.h"

namespace a3sim {

// What a run finds in the L2.
enum class L2Start : std::uint8_t {
  kCold,  // nothing
  kWarm,  // what the same run, made before on the same memory, left there
  kUsed   // what such runs, made before on other memory, left there: nothing of use, and lines to write back
};
constexpr auto names_of(L2Start) { return std::to_array<std::string_view>({"cold", "warm", "used"}); }

// The L2 of every device.
struct L2Options {
  L2Spec spec;         // its size is the hardware's
  bool exact = false;  // every line, or pieces of tensors
  L2Start start = L2Start::kCold;
  std::map<std::string, L2Hint> read_hints, write_hints;  // by operator
  // By operator, all of them: an L2 that answers at these rates instead of one that remembers.
  std::map<std::string, L2Rates> rates{};
};

// Reads the block `l2`: policy, mode, start, hash, seed and hints. Notes what is wrong with it.
L2Options read_l2(const Config& config);

}  // namespace a3sim
