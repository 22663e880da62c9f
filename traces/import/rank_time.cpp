#include "traces/import/rank_time.h"

#include <algorithm>

namespace a3sim {
namespace {

constexpr std::size_t kMostStretches = 1'000'000;

}  // namespace

void RankTime::add(Duration start, Duration end, bool exchanges, bool on_aic) {
  if (start == end || too_many_) return;
  add_stretch(all_, start, end);
  if (exchanges) add_stretch(communicating_, start, end);
  if (on_aic && !exchanges) add_stretch(computing_, start, end);
  too_many_ = boost::icl::interval_count(all_) > kMostStretches ||
              boost::icl::interval_count(communicating_) > kMostStretches ||
              boost::icl::interval_count(computing_) > kMostStretches;
  if (too_many_) computing_ = communicating_ = all_ = {};
}

std::optional<TimeSplit> RankTime::steps() const {
  if (all_.empty()) return {};
  const Duration length(boost::icl::last(all_) + 1 - boost::icl::first(all_));
  return TimeSplit{length, length_of(computing_), length_of(communicating_),
                   length_of(communicating_ - computing_)};
}

std::optional<KernelSpan> RankTime::span() const {
  if (all_.empty()) return {};
  return KernelSpan{Duration(boost::icl::first(all_)), Duration(boost::icl::last(all_) + 1), length_of(all_)};
}

void KernelOrder::add(Duration start, Duration end) {
  if (!any_) span_ = {start, start, {}};
  ordered_ = ordered_ && (!any_ || start >= last_start_);
  any_ = true;
  last_start_ = start;
  span_.covered += std::max(Duration::zero(), end - std::max(start, span_.last));
  span_.last = std::max(span_.last, end);
}

std::optional<KernelSpan> KernelOrder::span() const {
  return any_ && ordered_ ? std::optional(span_) : std::nullopt;
}

}  // namespace a3sim
