#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/ids.h"
#include "sim/core/registry.h"

namespace a3sim {

// The action if moving the rank's busiest expert would make the target as busy as the source was.
enum class StopRule : std::uint8_t {
  kBusiest,  // stop
  kNext,     // try the rank's next expert
  kNever     // move it nevertheless
};
constexpr auto names_of(StopRule) { return std::to_array<std::string_view>({"busiest", "next", "never"}); }

struct BalanceOptions {
  std::string balancer = "greedy";  // name of a registered balancer
  std::uint32_t dyn = 4;            // experts per rank that may move
  std::uint32_t tau = 256;          // an expert with fewer rows stays
  std::uint32_t max_num_dyn = 8;    // most guests per rank
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

// Plans which experts move to which rank. The plan depends on the arguments only.
class Balancer {
 public:
  static constexpr std::string_view kKind = "balancer";
  virtual ~Balancer() = default;
  virtual std::vector<ExpertMove> plan(const ExpertLoads& loads, const BalanceOptions& options) const = 0;
};
using Balancers = Registry<Balancer>;

}  // namespace a3sim
