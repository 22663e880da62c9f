#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/ids.h"

namespace a3sim {

// The action if moving the rank's busiest expert would make the target as busy as the source was.
enum class StopRule : std::uint8_t {
  kBusiest,  // stop
  kNext,     // try the rank's next expert
  kNever     // move it nevertheless
};
constexpr auto names_of(StopRule) { return std::to_array<std::string_view>({"busiest", "next", "never"}); }

struct BalanceOptions {
  std::uint32_t dyn = 4;          // experts per rank that may move
  std::uint32_t tau = 256;        // an expert with fewer rows stays
  std::uint32_t max_num_dyn = 8;  // most guests per rank
  StopRule stop = StopRule::kBusiest;
};

// Loads before any expert moves. Experts have global numbers; rank r is home to `experts_per_rank` of them,
// from number r * experts_per_rank on.
struct ExpertLoads {
  std::span<const std::uint32_t> rows;  // by expert
  const std::vector<bool>& dynamic;     // by expert: may move
  std::uint32_t experts_per_rank = 0;

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(rows.size()) / experts_per_rank; }
  std::vector<std::int64_t> by_rank() const;
};

struct ExpertMove {
  std::uint32_t expert, from, to;
  friend bool operator==(const ExpertMove&, const ExpertMove&) = default;
};

// Returns which experts move to which rank: whole experts from the busiest rank to the least busy one that has room, the
// busiest expert first (FEPLB). Ties go to the lowest number. The moves depend on the arguments only.
std::vector<ExpertMove> balancing_moves(const ExpertLoads& loads, const BalanceOptions& options);

}  // namespace a3sim
