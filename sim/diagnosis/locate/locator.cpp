#include "sim/diagnosis/locate/locator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "sim/core/ids.h"
#include "sim/core/statistics.h"
#include "sim/diagnosis/locate/group_walk.h"

namespace a3sim {
namespace {

constexpr std::size_t kYoung = 8;   // steps below which the deviation of a history is unreliable
constexpr double kNormal = 1.4826;  // standard deviations per median absolute deviation
constexpr double kChanged = 0.25;   // part of the lost time up to which it counts as unchanged
// Number of steps without a slow one, after which slow ones may be of another fault.
constexpr std::uint32_t kStopped = 4;
constexpr std::uint32_t kStale =
    6;  // slow steps after which one without a suspect is recorded again at first
constexpr std::uint32_t kMostAgain = 4;  // times that a suspect is recorded again
constexpr double kFilled = 50;  // percent of a queue; one that is filled less keeps its device waiting

}  // namespace

bool StepHistory::above(double took, double share, double deviations) const {
  return took > median_ + std::max(share * median_, deviations * deviation_);
}

bool StepHistory::shifted() const {
  return last_.size() == limits_.shift_window && !usual_.empty() &&
         a3sim::median({last_.begin(), last_.end()}) > limits_.shift * median_;
}

void StepHistory::add(double took, bool slow) {
  last_.push_back(took);
  if (last_.size() > limits_.shift_window) last_.pop_front();
  if (slow) return;
  usual_.push_back(took);
  if (usual_.size() > limits_.window) usual_.pop_front();
  measure();
}

void StepHistory::take_back() {
  if (usual_.empty()) return;
  usual_.pop_back();
  measure();
}

void StepHistory::measure() {
  median_ = a3sim::median({usual_.begin(), usual_.end()});
  std::vector<double> apart;
  for (const double usual : usual_) apart.push_back(std::abs(usual - median_));
  deviation_ = kNormal * a3sim::median(std::move(apart));
}

bool RecordRequests::is_done(const Request& request) const {
  return request.slow >= limits_.recorded || request.recorded >= limits_.watched ||
         (request.slow > 0 && request.recorded >= 2 * limits_.recorded);
}

void RecordRequests::add(std::uint32_t step, double lost, const std::vector<std::uint32_t>& suspects,
                         const std::vector<std::uint32_t>& beside, const std::vector<Lateness>& lateness,
                         double grown) {
  const bool slow = lost > 0;
  const auto is_suspect = [&](std::uint32_t rank) {
    return slow && std::ranges::find(suspects, rank) != suspects.end();
  };
  for (auto request = open_.begin(); request != open_.end();) {
    ++request->second.recorded;
    request->second.slow += is_suspect(request->first);
    if (is_done(request->second)) {
      done_[request->first] = {step, request->second.lost, request->second.again, step,
                               request->second.lateness};
      request = open_.erase(request);
    } else {
      ++request;
    }
  }
  for (const std::uint32_t suspect : suspects) {
    if (!slow) break;
    const Lateness now = suspect < lateness.size() ? lateness[suspect] : Lateness::kOwn;
    if (const auto open = open_.find(suspect); open != open_.end()) {
      open->second.lost = std::min(open->second.lost, lost);
      open->second.lateness.insert(now);
      continue;
    }
    const auto before = done_.find(suspect);
    std::uint32_t again = 0;
    if (before != done_.end() && step - before->second.step <= limits_.apart) {
      Done& done = before->second;
      const bool stopped = step - done.step > kStopped;
      const bool alike = std::abs(lost - done.lost) <= kChanged * std::max(lost, done.lost) + grown;
      // Where no rank stands out, another fault may slow all of them as much.
      const bool stale = suspect == kNone && step - done.recorded >= kStale << done.again;
      done.step = step;
      const bool known = done.lateness.contains(now);
      if ((alike && known && !stopped && !stale) || done.again >= kMostAgain) continue;
      again = done.again + 1;
    }
    Request& request = open_[suspect];
    request.lost = lost;
    request.again = again;
    request.ranks = beside;
    if (before != done_.end()) request.lateness = before->second.lateness;
    request.lateness.insert(now);
    for (const std::uint32_t rank : suspects)
      if (rank != kNone) request.ranks.push_back(rank);
  }
  std::set<std::uint32_t> ranks;
  for (const auto& [suspect, request] : open_) ranks.insert(request.ranks.begin(), request.ranks.end());
  wanted_.assign(ranks.begin(), ranks.end());
}

Locator::Locator(const LocateLimits& limits, std::uint32_t ranks, std::span<const LightRecord> reference)
    : limits_(limits),
      steps_(ranks),
      history_(limits),
      own_(ranks),
      spread_(ranks),
      host_(ranks),
      lags_(ranks),
      lateness_(ranks),
      requests_(limits) {
  if (reference.empty()) return;
  RankSteps steps(ranks);
  const std::vector<RankStep>& reference_ranks = steps.add(reference);
  reference_ = steps.took();
  for (std::uint32_t r = 0; r < ranks; ++r) {
    own_[r] = reference_ranks[r][Measure::kOwn];
    host_[r] = host_wait(reference_ranks[r]);
  }
  own_of_record_ = steps.own();
}

bool Locator::is_slow(double took) const {
  if (history_.empty()) return reference_ > 0 && took > (1 + limits_.reference) * reference_;
  const double young = history_.size() < kYoung ? limits_.reference : 0;
  return history_.above(took, std::max(young, limits_.share), limits_.deviations) ||
         history_.above(took, std::max(young, limits_.sure_share), limits_.sure_deviations) ||
         (above_before_ && history_.above(took, std::max(young, limits_.lasting), limits_.deviations)) ||
         (history_.shifted() && history_.above(took, limits_.shift - 1, 0));
}

// Returns how much a rank's own time exceeds its usual one, or that of the other ranks if nothing is known
// yet.
double Locator::lag_of(std::uint32_t rank, const std::vector<RankStep>& ranks) const {
  return ranks[rank][Measure::kOwn] - own_[rank];
}

// If ranks meet in several groups, only what the step waited for counts.
void Locator::find_lags(const std::vector<RankStep>& ranks, std::span<const LightRecord> records) {
  if (!has_several_groups(records) || own_of_record_.size() != records.size()) {
    for (std::uint32_t r = 0; r < ranks.size(); ++r) lags_[r] = lag_of(r, ranks);
    return;
  }
  std::ranges::fill(lags_, 0);
  const Duration least(static_cast<std::int64_t>(limits_.suspect * verdict_.took));
  for (const std::size_t at : waited_for(records, least))
    lags_[records[at].rank] += steps_.own()[at] - own_of_record_[at];
}

void Locator::find_suspects() {
  const double most = median(lags_);
  std::vector<double> apart;
  for (const double lag : lags_) apart.push_back(std::abs(lag - most));
  const double over_ranks = learned_ > 0 ? 0 : kNormal * median(apart);
  std::vector<std::pair<double, std::uint32_t>> above;
  for (std::uint32_t r = 0; r < lags_.size(); ++r) {
    const double noise = limits_.deviations * std::max(over_ranks, spread_[r]);
    if (lags_[r] > most + std::max(limits_.suspect * verdict_.took, noise)) above.emplace_back(-lags_[r], r);
  }
  std::ranges::sort(above);
  for (const auto& [lag, rank] : above)
    if (verdict_.suspects.size() < kMostSuspects) verdict_.suspects.push_back(rank);
}

void Locator::find_lateness(const std::vector<RankStep>& ranks) {
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const bool waits = host_wait(ranks[r]) > host_[r] + limits_.suspect * verdict_.took;
    const double fill = ranks[r].fill[0];
    lateness_[r] = !waits ? Lateness::kOwn : fill >= 0 && fill < kFilled ? Lateness::kBatch : Lateness::kHost;
  }
}

void Locator::show_usual(double took, const std::vector<RankStep>& ranks, const std::vector<double>& own) {
  learn(ranks, own);
  history_.add(took, false);
}

void Locator::learn(const std::vector<RankStep>& ranks, const std::vector<double>& own_now) {
  learned_ = std::min(learned_ + 1, limits_.window);
  if (own_of_record_.size() != own_now.size()) own_of_record_ = own_now;
  for (std::size_t i = 0; i < own_now.size(); ++i)
    own_of_record_[i] += (own_now[i] - own_of_record_[i]) / learned_;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const double own = ranks[r][Measure::kOwn], apart = std::abs(own - own_[r]);
    if (learned_ > 1) spread_[r] += (apart - spread_[r]) / (learned_ - 1);
    own_[r] += (own - own_[r]) / learned_;
    host_[r] += (host_wait(ranks[r]) - host_[r]) / learned_;
  }
}

const StepVerdict& Locator::add(std::uint32_t step, std::span<const LightRecord> records) {
  const std::vector<RankStep>& ranks = steps_.add(records);
  verdict_ = {};
  verdict_.step = step;
  verdict_.took = steps_.took();
  verdict_.usual = history_.empty() ? reference_ : history_.median();
  verdict_.slow = is_slow(verdict_.took);
  const bool above = !history_.empty() && history_.above(verdict_.took, limits_.lasting, limits_.deviations);
  verdict_.before_too = verdict_.slow && above && above_before_ && !slow_before_;
  if (verdict_.before_too) history_.take_back();
  const bool tells = !first_ || reference_ > 0;
  first_ = false;
  if (verdict_.slow) {
    find_lags(ranks, records);
    find_suspects();
    find_lateness(ranks);
  } else if (!above && tells) {
    learn(ranks, steps_.own());
  }
  if (tells) history_.add(verdict_.took, verdict_.slow);
  above_before_ = above;
  slow_before_ = verdict_.slow;
  ask();
  return verdict_;
}

// Returns the rank with the smallest lag and the one in the middle, and also the one with the largest if
// there is no suspect.
std::vector<std::uint32_t> Locator::beside() const {
  std::vector<std::uint32_t> order(lags_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t r) { return lags_[r]; });
  std::vector<std::uint32_t> ranks{order.front(), order[(order.size() - 1) / 2]};
  if (verdict_.suspects.empty()) ranks.push_back(order.back());
  return ranks;
}

void Locator::ask() {
  of_slow_step_.clear();
  std::vector<std::uint32_t> suspects = verdict_.suspects;
  const std::vector<std::uint32_t> ranks = verdict_.slow ? beside() : std::vector<std::uint32_t>();
  if (verdict_.slow) {
    std::set<std::uint32_t> all(ranks.begin(), ranks.end());
    all.insert(suspects.begin(), suspects.end());
    of_slow_step_.assign(all.begin(), all.end());
    if (suspects.empty()) suspects.push_back(kNone);
  }
  const double lost = verdict_.slow ? std::max(1.0, verdict_.took - verdict_.usual) : 0;
  requests_.add(verdict_.step, lost, suspects, ranks, lateness_, limits_.sure_share * verdict_.usual);
}

}  // namespace a3sim
