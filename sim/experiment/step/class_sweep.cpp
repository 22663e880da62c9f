#include "sim/experiment/step/class_sweep.h"

#include <algorithm>

namespace a3sim {
namespace {

struct ClassChange {
  Duration time{};
  std::uint32_t time_class = 0;
  std::int32_t by = 0;
};

}  // namespace

ClassTimes swept(const std::vector<ClassInterval>& intervals, Duration end) {
  std::vector<ClassChange> changes;
  for (const ClassInterval& interval : intervals) {
    const Duration from = std::min(interval.from, end), to = std::min(interval.to, end);
    if (to <= from) continue;
    changes.push_back({from, static_cast<std::uint32_t>(interval.time_class), 1});
    changes.push_back({to, static_cast<std::uint32_t>(interval.time_class), -1});
  }
  changes.push_back({end, static_cast<std::uint32_t>(TimeClass::kRest), 0});
  std::ranges::sort(changes, {}, &ClassChange::time);
  ClassTimes times{};
  std::array<std::int64_t, kTimeClasses> open{};
  Duration now{};
  for (const ClassChange& change : changes) {
    if (change.time > now) {
      const auto first = std::ranges::find_if(open, [](std::int64_t count) { return count > 0; });
      const auto time_class = first == open.end() ? static_cast<std::size_t>(TimeClass::kRest)
                                                  : static_cast<std::size_t>(first - open.begin());
      times[time_class] += change.time - now;
      now = change.time;
    }
    open[change.time_class] += change.by;
  }
  return times;
}

}  // namespace a3sim
