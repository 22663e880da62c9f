#include "sim/runtime/cable_record.h"

#include <algorithm>

namespace a3sim {
namespace {

constexpr std::int64_t kMostParts = 2048;

// Adds a stretch; one that touches the last continues it.
void add_stretch(std::vector<CableStretch>& stretches, std::int64_t from, std::int64_t to) {
  if (from >= to) return;
  if (!stretches.empty() && stretches.back().to.count() == from) {
    stretches.back().to = Duration(to);
  } else {
    stretches.push_back({Duration(from), Duration(to)});
  }
}

}  // namespace

void CableRecord::note(Time now, double rate, bool full) {
  if (rate == rate_ && full == full_) return;
  const std::int64_t date = now.time_since_epoch().count();
  carry(date);
  rate_ = rate;
  if (full == full_) return;
  if (full_) add_stretch(stretches_, full_since_, date);
  full_since_ = date;
  full_ = full;
}

// Makes parts twice as long until the last ends at `to` or later.
void CableRecord::widen(std::int64_t to) {
  while ((kMostParts << shift_) < to) {
    for (std::size_t p = 0; p < sums_.size(); p += 2)
      sums_[p / 2] = sums_[p] + (p + 1 < sums_.size() ? sums_[p + 1] : 0);
    sums_.resize((sums_.size() + 1) / 2);
    ++shift_;
  }
  widest_ = kMostParts << shift_;
}

// Adds what was carried from `since_` to a date.
void CableRecord::carry(std::int64_t to) {
  const std::int64_t from = since_;
  since_ = to;
  if (rate_ == 0 || from == to) return;
  if (to > widest_) widen(to);
  const auto last = static_cast<std::size_t>((to - 1) >> shift_);
  if (sums_.size() <= last) sums_.resize(last + 1, 0);
  auto first = static_cast<std::size_t>(from >> shift_);
  for (std::int64_t at = from; at < to; ++first) {
    const std::int64_t end = std::min(to, (static_cast<std::int64_t>(first) + 1) << shift_);
    sums_[first] += rate_ * static_cast<double>(end - at);
    at = end;
  }
}

std::vector<CableStretch> CableRecord::full_stretches(Time until) const {
  const std::int64_t end = until.time_since_epoch().count();
  std::vector<CableStretch> stretches;
  for (const CableStretch& stretch : stretches_)
    add_stretch(stretches, stretch.from.count(), std::min(end, stretch.to.count()));
  if (full_) add_stretch(stretches, full_since_, end);
  return stretches;
}

std::vector<double> CableRecord::means(Time until, std::size_t stretches) const {
  std::vector<double> means(stretches, 0);
  CableRecord all = *this;
  const std::int64_t to = until.time_since_epoch().count();
  if (to > since_) all.carry(to);
  const double length = static_cast<double>(to) / static_cast<double>(stretches);
  const auto part = static_cast<double>(std::int64_t{1} << all.shift_);
  for (std::size_t p = 0; p < all.sums_.size(); ++p) {
    // In stretches; the last part may have begun before `until` and end after it.
    const double begin = static_cast<double>(p) * part / length;
    const double end =
        std::max(begin, std::min((static_cast<double>(p) + 1) * part, static_cast<double>(to)) / length);
    const double covered = std::min(part, static_cast<double>(to) - static_cast<double>(p) * part);
    for (auto s = static_cast<std::size_t>(begin); s < stretches && static_cast<double>(s) < end; ++s) {
      const auto place = static_cast<double>(s);
      const double overlap = std::min(end, place + 1) - std::max(begin, place);
      means[s] += all.sums_[p] / covered * std::max(0.0, overlap);
    }
  }
  return means;
}

}  // namespace a3sim
