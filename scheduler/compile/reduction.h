#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/compile/dependencies.h"

namespace a3sim {

// Removes dependencies that others imply: those on a task that another predecessor depends on. The result is
// exact. Only operators with two producers, one of which depends on the other, have any. Throws InputError where tasks of such
// an operator wait in a circle.
class Reduction {
 public:
  explicit Reduction(std::span<const OperatorInfo> operators);

  void apply(Dependencies& dependencies) const;

  // Returns whether `to` depends on one of these operators.
  bool reaches_any(const std::vector<bool>& from, std::size_t to) const;
  // Returns what is wrong with an operator whose tasks wait in a circle.
  std::string circle(std::size_t op) const;

 private:
  std::vector<bool> implied_candidates(std::size_t op) const;

  std::vector<std::string> names_;                   // by operator
  std::vector<std::vector<std::size_t>> producers_;  // one list per operator
  std::vector<std::vector<bool>> ancestors_;  // one entry per operator: the operators that it depends on
  // One entry per operator: its producers that another of its producers depends on. Only dependencies on
  // these can be implied.
  std::vector<std::vector<bool>> candidates_;
};

}  // namespace a3sim
