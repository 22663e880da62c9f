#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"

namespace a3sim {

// From what the experts that may move are chosen: the busiest of each rank.
enum class ChooseBy : std::uint8_t {
  kHistory,  // by a running mean of past micro-batches
  kLast,     // by the last one
  kOracle,   // by this one, before it is routed
  kFixed     // the first ones of each rank
};
constexpr auto names_of(ChooseBy) {
  return std::to_array<std::string_view>({"history", "last", "oracle", "fixed"});
}

// What past micro-batches say of the experts' loads.
class LoadHistory {
 public:
  // Before any: all experts alike.
  explicit LoadHistory(std::uint32_t experts) : last_(experts, 0), mean_(experts, 0) {}
  void add(std::span<const std::uint32_t> rows);
  bool empty() const { return empty_; }
  const std::vector<double>& last() const { return last_; }
  const std::vector<double>& mean() const { return mean_; }

 private:
  static constexpr double kWeight = 0.1;  // of the newest in the running mean
  std::vector<double> last_, mean_;
  bool empty_ = true;
};

// Which experts may move: the `dyn` busiest of each rank, ties to the lowest number.
std::vector<bool> dynamic_experts(ChooseBy by, const LoadHistory& history,
                                  std::span<const std::uint32_t> rows, std::uint32_t experts_per_rank,
                                  std::uint32_t dyn);

// FasterMoE's shadows: experts whose weights go to all ranks, while their rows stay where they are. The
// hottest first, while 3 product B + 4 row B + shadows weights falls; B: rows of the busiest rank that are
// left.
struct ShadowCosts {
  double product = 0, row = 0, weights = 0;  // seconds: one product of a row, its way, an expert's weights'
};
std::vector<std::uint32_t> shadows(std::span<const double> rows, std::uint32_t experts_per_rank,
                                   const ShadowCosts& costs);

// The experts from the busiest to the least busy, ties to the lowest number.
std::vector<std::uint32_t> hottest_first(std::span<const double> rows);

}  // namespace a3sim
