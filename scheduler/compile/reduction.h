#pragma once

#include <span>
#include <vector>

#include "scheduler/compile/dependencies.h"

namespace a3sim {

// Leaves out dependencies that others imply: those on a task that another one depends on which is waited for too. Exact;
// work is done only for operators two of whose producers' operators depend on one another.
class Reduction {
 public:
  explicit Reduction(std::span<const OperatorInfo> operators);

  void apply(Dependencies& dependencies) const;

  // Whether `to` depends on one of these operators.
  bool reaches_any(const std::vector<bool>& from, std::size_t to) const;

 private:
  std::vector<bool> implied_candidates(std::size_t op) const;

  std::vector<std::vector<std::size_t>> producers_;  // by operator
  std::vector<std::vector<bool>> ancestors_;         // by operator: those that it depends on
  // By operator: its producers that another one of them depends on. Dependencies on these alone can be implied.
  std::vector<std::vector<bool>> candidates_;
};

}  // namespace a3sim
