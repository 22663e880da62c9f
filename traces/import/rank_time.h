#pragma once

#include <optional>

#include "traces/analysis/times.h"
#include "traces/import/profile.h"

namespace a3sim {

// Sums one rank's tasks on a time line, read in any order.
class RankTime {
 public:
  // Tasks that exchange are communication; tasks on an AIC are computing.
  void add(Duration start, Duration end, bool exchanges, bool on_aic);
  // Return nullopt if there were no tasks, or more stretches of time than are kept.
  std::optional<TimeSplit> steps() const;
  std::optional<KernelSpan> span() const;

 private:
  Times computing_, communicating_, all_;
  bool too_many_ = false;
};

// Sums one rank's kernels, which must come in the order of their starts.
class KernelOrder {
 public:
  void add(Duration start, Duration end);
  // Returns nullopt if there were no kernels, or if they came in another order.
  std::optional<KernelSpan> span() const;
  bool ordered() const { return ordered_; }

 private:
  bool ordered_ = true, any_ = false;
  Duration last_start_{};
  KernelSpan span_;
};

}  // namespace a3sim
