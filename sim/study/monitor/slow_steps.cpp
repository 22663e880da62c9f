#include "sim/study/monitor/slow_steps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace a3sim {
namespace {

constexpr std::size_t kHistory = 32;
constexpr std::uint32_t kAskedFor = 3;
constexpr double kShare = 0.05;
constexpr double kDeviations = 4;
constexpr double kNormal = 1.4826;  // median absolute deviations in a standard deviation

double middle(std::vector<double> numbers) {
  const auto half = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, half);
  return *half;
}

}  // namespace

bool SlowSteps::is_slow(Duration took) const {
  const auto time = static_cast<double>(took.count());
  if (history_.empty()) return time > (1 + kShare) * static_cast<double>(usual_.count());
  const std::vector<double> past(history_.begin(), history_.end());
  const double median = middle(past);
  std::vector<double> apart;
  for (const double of : past) apart.push_back(std::abs(of - median));
  return time > median + std::max(kShare * median, kDeviations * kNormal * middle(apart));
}

bool SlowSteps::suspect(std::span<const LightRecord> records) {
  std::map<std::uint32_t, Duration> own;
  for (const LightRecord& record : records) own[record.rank] += record.arrival - record.start - record.waited;
  std::vector<std::pair<Duration, std::uint32_t>> sorted;
  for (const auto& [rank, time] : own) sorted.emplace_back(time, rank);
  std::ranges::sort(sorted);
  const std::uint32_t suspect = sorted.back().second, healthy = sorted[(sorted.size() - 1) / 2].second;
  suspects_ = {std::min(suspect, healthy)};
  if (healthy != suspect) suspects_.push_back(std::max(suspect, healthy));
  return std::exchange(suspect_, suspect) != suspect;
}

bool SlowSteps::see(std::span<const LightRecord> records) {
  Duration start = Duration::max(), release{};
  for (const LightRecord& record : records) {
    start = std::min(start, record.start);
    release = std::max(release, record.release);
  }
  const Duration took = release - (first_ ? start : before_);
  first_ = false;
  before_ = release;
  if (left_ > 0 && --left_ == 0) wanted_.clear();
  const bool slow = is_slow(took);
  if (!slow) {
    history_.push_back(static_cast<double>(took.count()));
    if (history_.size() > kHistory) history_.pop_front();
  } else if (suspect(records) || !was_slow_) {
    wanted_ = suspects_;
    left_ = kAskedFor;
  }
  was_slow_ = slow;
  return slow;
}

}  // namespace a3sim
