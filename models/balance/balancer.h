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

// What happens where the busiest expert that could move would make its new rank as busy as the old one was.
enum class StopRule : std::uint8_t {
  kBusiest,  // stop
  kNext,     // try the rank's next one
  kNever     // move it all the same
};
constexpr auto names_of(StopRule) { return std::to_array<std::string_view>({"busiest", "next", "never"}); }

struct BalanceOptions {
  std::string balancer = "greedy";  // a registered one
  std::uint32_t dyn = 4;            // experts of a rank that may move
  std::uint32_t tau = 256;          // rows below which an expert stays
  std::uint32_t max_num_dyn = 8;    // guests of a rank
  StopRule stop = StopRule::kBusiest;
};

// Loads before anything moves. Experts are numbered through; rank r is home to those from r times
// `experts_per_rank` on.
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

// A pure function of the loads.
class Balancer {
 public:
  static constexpr std::string_view kKind = "balancer";
  virtual ~Balancer() = default;
  virtual std::vector<ExpertMove> plan(const ExpertLoads& loads, const BalanceOptions& options) const = 0;
};
using Balancers = Registry<Balancer>;

}  // namespace a3sim
