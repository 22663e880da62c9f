#include "sim/runtime/cable_records.h"

#include <algorithm>

namespace a3sim {
namespace {

constexpr std::size_t kMostParts = 2048;
constexpr int kFirstShift = 14;  // parts of 16 ns at first: short kernels take microseconds

// Adds a stretch; one that touches the last continues it.
void add_stretch(std::vector<CableStretch>& stretches, std::int64_t from, std::int64_t to) {
  if (from >= to) return;
  if (!stretches.empty() && stretches.back().to.count() == from) {
    stretches.back().to = Duration(to);
  } else {
    stretches.push_back({Duration(from), Duration(to)});
  }
}

// Adds `sum`, sent evenly from `begin` to `end`, to the stretches; all in lengths of a stretch.
void spread(double sum, double begin, double end, std::vector<double>& stretches) {
  if (end <= begin) return;
  for (auto s = static_cast<std::size_t>(begin); s < stretches.size() && static_cast<double>(s) < end; ++s) {
    const auto place = static_cast<double>(s);
    const double overlap = std::min(end, place + 1) - std::max(begin, place);
    stretches[s] += sum * std::max(0.0, overlap) / (end - begin);
  }
}

}  // namespace

CableRecords::CableRecords(std::size_t cables)
    : shift_(kFirstShift), rates_(cables, 0), current_(cables, 0), fullness_(cables) {}

void CableRecords::note(Time now, std::span<const double> rates) {
  carry(now.time_since_epoch().count());
  std::ranges::copy(rates, rates_.begin());
}

void CableRecords::note_full(Time now, std::size_t cable, bool full) {
  Fullness& of_cable = fullness_[cable];
  const std::int64_t time = now.time_since_epoch().count();
  if (of_cable.is_full && !full) add_stretch(of_cable.stretches, of_cable.since, time);
  if (!of_cable.is_full && full) of_cable.since = time;
  of_cable.is_full = full;
}

// Makes parts twice as long.
void CableRecords::widen() {
  const std::size_t cables = rates_.size(), parts = past_.size() / cables;
  for (std::size_t p = 0; p + 1 < parts; p += 2)
    for (std::size_t c = 0; c < cables; ++c)
      past_[p / 2 * cables + c] = past_[p * cables + c] + past_[(p + 1) * cables + c];
  if (parts % 2 == 1)
    for (std::size_t c = 0; c < cables; ++c) current_[c] += past_[(parts - 1) * cables + c];
  past_.resize(parts / 2 * cables);
  ++shift_;
}

// Adds what was carried from `since_` to a time.
void CableRecords::carry(std::int64_t to) {
  while (!rates_.empty() && since_ < to) {
    while ((to >> shift_) >= static_cast<std::int64_t>(kMostParts)) widen();
    const std::int64_t edge = ((since_ >> shift_) + 1) << shift_, end = std::min(to, edge);
    const auto passed = static_cast<double>(end - since_);
    for (std::size_t c = 0; c < rates_.size(); ++c) current_[c] += rates_[c] * passed;
    since_ = end;
    if (end != edge) return;
    past_.insert(past_.end(), current_.begin(), current_.end());
    std::ranges::fill(current_, 0);
  }
}

std::vector<CableStretch> CableRecords::full_stretches(std::size_t cable, Time until) const {
  const std::int64_t end = until.time_since_epoch().count();
  std::vector<CableStretch> stretches;
  for (const CableStretch& stretch : fullness_[cable].stretches)
    add_stretch(stretches, stretch.from.count(), std::min(end, stretch.to.count()));
  if (fullness_[cable].is_full) add_stretch(stretches, fullness_[cable].since, end);
  return stretches;
}

std::vector<double> CableRecords::means(std::size_t cable, Time until, std::size_t stretches) const {
  std::vector<double> means(stretches, 0);
  const std::size_t cables = rates_.size(), parts = past_.size() / cables;
  const auto to = static_cast<double>(until.time_since_epoch().count());
  const double length = to / static_cast<double>(stretches);
  const auto part = static_cast<double>(std::int64_t{1} << shift_), since = static_cast<double>(since_);
  for (std::size_t p = 0; p < parts; ++p) {
    const double begin = static_cast<double>(p) * part;
    spread(past_[p * cables + cable] / length, begin / length, (begin + part) / length, means);
  }
  spread(current_[cable] / length, static_cast<double>(parts) * part / length, since / length, means);
  spread(rates_[cable] * (to - since) / length, since / length, to / length, means);
  return means;
}

}  // namespace a3sim
