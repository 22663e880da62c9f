#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace a3sim {

// The estimated cost of points of a sweep, from a few that were tried. Points of one taskflow share work: the first of them does it, the
// others take what is left.
class TriedCost {
 public:
  // `taskflows` has the taskflow of each position; `wanted` are the positions to compute. Both must outlive it.
  TriedCost(const std::vector<std::string>& taskflows, const std::vector<std::uint64_t>& wanted);

  // Returns the positions to try: of up to three taskflows the first and the last, in the order of `wanted`.
  std::vector<std::uint64_t> to_try() const;
  // Adds what a position took; those of one taskflow one after another.
  void add(std::uint64_t position, double seconds);

  // Returns the mean time of a point without what it shares.
  double alone() const;
  // Returns the time of what is shared, in all taskflows that are wanted.
  double shared() const;

 private:
  const std::vector<std::string>& taskflows_;
  std::vector<std::vector<std::uint64_t>> groups_;  // positions by taskflow, in the order of their first ones
  std::map<std::string, std::vector<double>> tried_;
};

}  // namespace a3sim
