#pragma once

#include <span>
#include <vector>

#include "scheduler/compile/dependencies.h"

namespace a3sim {

// Removes dependencies that others imply: a dependency on a task on which another predecessor depends. The
// result is exact. Works only on operators with two producers of which one depends on the other.
class Reduction {
 public:
  explicit Reduction(std::span<const OperatorInfo> operators);

  void apply(Dependencies& dependencies) const;

  // Returns whether `to` depends on one of these operators.
  bool reaches_any(const std::vector<bool>& from, std::size_t to) const;

 private:
  std::vector<bool> implied_candidates(std::size_t op) const;

  std::vector<std::vector<std::size_t>> producers_;  // by operator
  std::vector<std::vector<bool>> ancestors_;         // by operator: those that it depends on
  // By operator: its producers on which another of its producers depends. Only dependencies on these can be
  // implied.
  std::vector<std::vector<bool>> candidates_;
};

}  // namespace a3sim
