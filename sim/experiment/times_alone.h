#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/device/cost.h"

namespace a3sim {

// CostModel's arithmetic() and least() of many tasks. Both follow from the sizes of a task's work: where it
// lies does not matter, and most tasks of an operator, on all ranks, are of the same sizes. Each is looked at
// once.
class TimesAlone {
 public:
  struct Times {
    Duration arithmetic{}, least{};
  };
  // Cost models may differ in their clocks only.
  Times compute(const Work& work, const CostModel& cost);

 private:
  using Sizes = std::vector<std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Sizes& sizes) const;
  };
  void add_sizes(const Work& work);

  std::unordered_map<Sizes, Times, Hash> known_;
  Sizes key_;
};

}  // namespace a3sim
