#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"

namespace a3sim {

// The measure of load by which the busiest experts of each rank are chosen as those that may move.
enum class ChooseBy : std::uint8_t {
  kHistory,  // running mean of past micro-batches
  kLast,     // the last micro-batch
  kOracle,   // this micro-batch, before it is routed
  kFixed     // none: the first experts of each rank
};
constexpr auto names_of(ChooseBy) {
  return std::to_array<std::string_view>({"history", "last", "oracle", "fixed"});
}

// The experts' loads in past micro-batches.
class LoadHistory {
 public:
  // Starts with equal loads of all experts.
  explicit LoadHistory(std::uint32_t experts) : last_(experts, 0), mean_(experts, 0) {}
  void add(std::span<const std::uint32_t> rows);
  bool empty() const { return empty_; }
  const std::vector<double>& last() const { return last_; }
  const std::vector<double>& mean() const { return mean_; }

 private:
  static constexpr double kWeight = 0.1;  // weight of the newest micro-batch in the mean
  std::vector<double> last_, mean_;
  bool empty_ = true;
};

// Returns, by expert, whether it may move: the `dyn` busiest of each rank. Ties go to the lowest number.
std::vector<bool> dynamic_experts(ChooseBy by, const LoadHistory& history,
                                  std::span<const std::uint32_t> rows, std::uint32_t experts_per_rank,
                                  std::uint32_t dyn);

// Costs that FasterMoE weighs to choose shadows: experts whose weights are sent to all ranks while their rows
// stay.
struct ShadowCosts {
  // In seconds: the product of a row, sending a row, sending an expert's weights.
  double product = 0, row = 0, weights = 0;
};
// Returns the shadows, the hottest first. Their number minimises 3 * product * B + 4 * row * B + weights *
// shadows, where B is the largest remaining number of rows of a rank.
std::vector<std::uint32_t> shadows(std::span<const double> rows, std::uint32_t experts_per_rank,
                                   const ShadowCosts& costs);

// Returns experts in descending order of load. Ties go to the lowest number.
std::vector<std::uint32_t> hottest_first(std::span<const double> rows);

}  // namespace a3sim
