#include "sim/diagnosis/locate/rank_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"

namespace a3sim {
namespace {

// Converts to ps; 0 if the number was not recorded.
double picoseconds_of(float microseconds) {
  constexpr double kMicrosecond = 1e6;
  return std::isnan(microseconds) ? 0 : kMicrosecond * static_cast<double>(microseconds);
}

}  // namespace

void RankSteps::add(const LightRecord& record) {
  if (record.rank >= now_.size())
    throw InputError(fmt::format("step {}: rank {} of a job of {}", record.step, record.rank, now_.size()));
  RankStep& rank = now_[record.rank];
  Duration& begin = released_[record.rank];
  own_.push_back(picoseconds(record.arrival - begin - record.waited));
  rank[Measure::kOwn] += own_.back();
  rank[Measure::kDelay] += picoseconds(record.start - begin);
  rank[Measure::kLate] += picoseconds_of(record.late);
  rank[Measure::kAic] += picoseconds_of(record.aic_busy);
  rank[Measure::kAiv] += picoseconds_of(record.aiv_busy);
  rank[Measure::kTransfer] += picoseconds_of(record.transfer);
  rank[Measure::kWaited] += picoseconds(record.waited + record.release - record.arrival);
  rank[Measure::kRows] += record.rows;
  rank[Measure::kOperations] += record.operations;
  for (std::size_t q = 0; q < rank.fill.size(); ++q)
    rank.fill[q] = record.fill[q] == kNoFill ? -1 : record.fill[q];
  begin = record.release;
}

const std::vector<RankStep>& RankSteps::add(std::span<const LightRecord> records) {
  std::ranges::fill(now_, RankStep());
  own_.clear();
  if (first_ && !records.empty()) {
    end_ = std::ranges::min_element(records, {}, &LightRecord::start)->start;
    std::ranges::fill(released_, end_);
    first_ = false;
  }
  const Duration before = end_;
  for (const LightRecord& record : records) {
    add(record);
    end_ = std::max(end_, record.release);
  }
  took_ = picoseconds(end_ - before);
  return now_;
}

}  // namespace a3sim
