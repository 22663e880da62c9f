#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/device/cost.h"

namespace a3sim {

// Computes CostModel's arithmetic() and least() of many tasks. Both depend only on the sizes of a task's
// work, not on where it lies, and most tasks of an operator have the same sizes on all ranks. Each size is
// therefore computed only once.
class TimesAlone {
 public:
  struct Times {
    Duration arithmetic{}, least{};
  };
  // `cost` may differ from call to call only in its clock.
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
