#include "sim/runtime/cable_record.h"

#include <algorithm>

namespace a3sim {

void CableRecord::note(Time now, double rate, bool full) {
  if (!entries_.empty() && entries_.back().rate == rate && entries_.back().full == full) return;
  if (entries_.empty() || entries_.back().from != now) {
    entries_.push_back({now, rate, full});
  } else {
    entries_.back() = {now, rate, full};
  }
}

template <class Visit>
void CableRecord::walk(Time until, Visit visit) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Time to = std::min(until, i + 1 < entries_.size() ? entries_[i + 1].from : until);
    if (entries_[i].from < to) visit(entries_[i], entries_[i].from.time_since_epoch(), to.time_since_epoch());
  }
}

std::vector<CableStretch> CableRecord::full_stretches(Time until) const {
  std::vector<CableStretch> stretches;
  walk(until, [&](const Entry& entry, Duration from, Duration to) {
    if (!entry.full) return;
    if (!stretches.empty() && stretches.back().to == from) {
      stretches.back().to = to;
    } else {
      stretches.push_back({from, to});
    }
  });
  return stretches;
}

std::vector<double> CableRecord::means(Time until, std::size_t stretches) const {
  std::vector<double> means(stretches, 0);
  const double length = seconds(until.time_since_epoch()) / static_cast<double>(stretches);
  walk(until, [&](const Entry& entry, Duration from, Duration to) {
    const double begin = seconds(from) / length, end = seconds(to) / length;  // in stretches
    for (auto s = static_cast<std::size_t>(begin); s < stretches && static_cast<double>(s) < end; ++s) {
      const auto place = static_cast<double>(s);
      means[s] += entry.rate * std::max(0.0, std::min(end, place + 1) - std::max(begin, place));
    }
  });
  return means;
}

}  // namespace a3sim
