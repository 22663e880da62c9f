#include "traces/import/clock.h"

#include <algorithm>

#include "traces/analysis/median.h"
#include "traces/import/profiled_table.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostMeetings = 2000;

}  // namespace

void Meetings::add(std::uint32_t rank, const std::string& key, double start, double end) {
  auto found = meetings_.find(key);
  if (found == meetings_.end()) {
    if (meetings_.size() == kMostMeetings) return;
    found = meetings_.try_emplace(key).first;
  }
  found->second.try_emplace(rank, Dates{start, end});
}

void Meetings::align(Measured& profile) const {
  if (profile.ranks.size() < 2) return;
  const std::uint32_t first = profile.ranks.begin()->first;
  std::vector<const std::map<std::uint32_t, Dates>*> shared;
  for (const auto& [key, dates] : meetings_)
    if (dates.size() == profile.ranks.size()) shared.push_back(&dates);
  if (shared.empty()) return;
  for (auto& [number, rank] : profile.ranks) {
    std::vector<double> ahead;
    for (const auto* dates : shared) ahead.push_back(dates->at(number).end - dates->at(first).end);
    std::ranges::sort(ahead);
    rank.clock = MeasuredClock{ahead.size(),
                               from_microseconds(median(ahead)),
                               from_microseconds(ahead.front()),
                               from_microseconds(ahead.back()),
                               {}};
    if (!rank.span) continue;
    rank.span->first -= rank.clock->offset();
    rank.span->last -= rank.clock->offset();
  }
  for (const auto* dates : shared) {
    const auto came = [&](std::uint32_t rank) {
      return from_microseconds(dates->at(rank).start - dates->at(first).start) -
             profile.ranks.at(rank).clock->offset();
    };
    Duration last = Duration::min(), before = Duration::min();  // to come, and the one before it
    std::uint32_t who = first;
    for (const auto& [number, rank] : profile.ranks) {
      const Duration date = came(number);
      if (date > last) {
        before = std::exchange(last, date);
        who = number;
      } else {
        before = std::max(before, date);
      }
    }
    profile.ranks.at(who).clock->late += (last - before) / static_cast<std::int64_t>(shared.size());
  }
}

}  // namespace a3sim
