#pragma once

#include <algorithm>
#include <cstdint>
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

  // Returns the operators, sorted, from which a search for implied dependencies of an operator's tasks has to go on: those
  // that depend on a producer of the operator which another of its producers depends on. Empty if there is none.
  std::span<const std::uint32_t> between(std::size_t op) const { return between_[op]; }
  // Returns whether another producer of `op` depends on this one.
  bool is_implied(std::size_t op, std::uint32_t producer) const {
    return std::ranges::binary_search(implied_[op], producer);
  }
  // True if every operator comes after those that it depends on, so that none waits in a circle.
  bool acyclic() const { return acyclic_; }
  // Returns what is wrong with an operator whose tasks wait in a circle.
  std::string circle(std::size_t op) const;

 private:
  using Operators = std::vector<std::uint32_t>;
  void find_neighbours(std::span<const OperatorInfo> operators);
  Operators find_between(std::uint32_t op, std::span<const OperatorInfo> operators);

  std::vector<std::string> names_;                // by operator
  std::vector<Operators> producers_, consumers_;  // one list per operator
  bool acyclic_ = true;
  std::vector<Operators> implied_, between_;  // one list per operator, sorted
  std::vector<std::uint32_t> seen_;           // one entry per operator: the last one whose search reached it
};

}  // namespace a3sim
