#pragma once

#include <optional>

#include "traces/analysis/times.h"
#include "traces/import/profile.h"

namespace a3sim {

// One rank's tasks on a time line, in whatever order they are read.
class RankTime {
 public:
  // Communication is the time of tasks that exchange; what an AIC runs computes.
  void add(Duration start, Duration end, bool exchanges, bool on_aic);
  // Nothing where there were no tasks, or more stretches of time than are kept.
  std::optional<TimeSplit> steps() const;
  std::optional<KernelSpan> span() const;

 private:
  Times computing_, communicating_, all_;
  bool too_many_ = false;
};

// One rank's kernels, summed up as they come: in the order of their starts.
class KernelOrder {
 public:
  void add(Duration start, Duration end);
  // Nothing where there were no kernels, or where they came in another order.
  std::optional<KernelSpan> span() const;
  bool ordered() const { return ordered_; }

 private:
  bool ordered_ = true, any_ = false;
  Duration last_start_{};
  KernelSpan span_;
};

}  // namespace a3sim
