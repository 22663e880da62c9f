#include "models/traffic/no_traffic.h"

#include <algorithm>
#include <cmath>

#include "models/traffic/json_record.h"

namespace a3sim {
namespace {

// Returns the upper end of the interval of a proportion (Wilson, JASA 22, 1927), five standard errors wide.
double upper_share(double successes, double trials) {
  constexpr double kErrors = 5;
  if (trials <= 0) return 1;
  const double p = std::min(1.0, successes / trials), z2 = kErrors * kErrors / trials;
  return std::min(1.0,
                  (p + z2 / 2 + kErrors * std::sqrt(p * (1 - p) / trials + z2 / (4 * trials))) / (1 + z2));
}

}  // namespace

std::uint64_t RequestNumbers::of(const TokenRow& row) {
  const auto [found, is_new] = open_.try_emplace(row.request);
  Open& open = found->second;
  if (is_new) open.number = next_++;
  if (!row.token) return open.number;
  const auto [last, first_of_layer] = open.last.try_emplace(row.layer, *row.token);
  if (!first_of_layer && *row.token <= last->second) {
    open.number = next_++;
    open.last.clear();
    open.last.emplace(row.layer, *row.token);
  } else {
    last->second = *row.token;
  }
  return open.number;
}

std::uint64_t NoTraffic::routing_of(const TokenRow& row) {
  std::uint64_t hash = hash_with(row.weights + 1, row.layer);
  for (const std::uint32_t expert : row.experts) hash = hash_with(hash, expert + 1);
  return hash;
}

void NoTraffic::add(const TokenRow& row) {
  ++rows_;
  const std::uint64_t number = numbers_.of(row);
  if (row.experts.empty()) return;
  const std::uint64_t routing = routing_of(row);
  if (layer_rows_.empty()) first_weights_ = row.weights;
  weights_vary_ |= row.weights != first_weights_;
  ++layer_rows_[row.layer];
  Run& run = open_runs_[row.layer];
  if (run.routing != routing) {
    if (run.length > 0) end_run(row.layer, run);
    run = {routing, 0};
  }
  ++run.length;
  if (row.request != 0) {
    const auto [named, is_new] = requests_.try_emplace(row.request);
    Named& open = named->second;
    if (!is_new && open.number != number) {
      end_request(open.number, open.request);
      open.request = {};
    }
    open.number = number;
    Request& request = open.request;
    if (request.rows == 0) {
      request.first = routing;
      request.before = before_;
    } else {
      request.comes_again |= routing == request.first;
    }
    ++request.rows;
    request.hash = hash_with(request.hash, routing);
  }
  before_ = routing;
}

void NoTraffic::end_run(std::uint32_t layer, const Run& run) {
  const std::size_t bucket = run.routing % kBuckets;
  ++runs_[bucket];
  if (run.length < kLongRun) {
    ++short_runs_[bucket];
    short_rows_[bucket] += static_cast<std::uint32_t>(run.length);
    return;
  }
  long_runs_.push_back({layer, run});
  in_long_runs_[run.routing] += run.length;
}

// A request comes again if it has the routings of an earlier one. A log whose rows repeat with a period, as experts in turn do, has
// that too: there the first row comes again inside the request or, if no weights tell tokens apart, the row before the two is the same.
void NoTraffic::end_request(std::uint64_t number, const Request& request) {
  if (request.rows < kLongRequest || request.comes_again) return;
  const auto [begin, end] = seen_.equal_range(request.hash);
  const bool repeated = std::any_of(
      begin, end, [&](const auto& other) { return weights_vary_ || other.second != request.before; });
  if (repeated) repeated_.insert(number);
  if (begin == end) seen_.emplace(request.hash, request.before);
}

bool NoTraffic::is_beyond_chance(const LongRun& run) const {
  constexpr double kChance = 1e-6;
  const std::size_t bucket = run.run.routing % kBuckets;
  const auto rows = static_cast<double>(layer_rows_.at(run.layer));
  const double own = static_cast<double>(in_long_runs_.at(run.run.routing)) + short_rows_[bucket];
  // Each run of it begins behind another row; how often those are followed by it is its share of independent rows.
  const double comes = upper_share(runs_[bucket], std::max(0.0, rows - own) + 1);
  const double goes_on =
      short_runs_[bucket] > 0 ? 1 - static_cast<double>(short_runs_[bucket]) / short_rows_[bucket] : 0;
  const double again = std::max(comes, goes_on);
  return again <= 0 ||
         std::log(rows) + (static_cast<double>(run.run.length) - 1) * std::log(again) < std::log(kChance);
}

void NoTraffic::finish() {
  for (const auto& [layer, run] : open_runs_)
    if (run.length > 0) end_run(layer, run);
  open_runs_.clear();
  for (const auto& [name, open] : requests_) end_request(open.number, open.request);
  requests_.clear();
  for (const LongRun& run : long_runs_)
    if (is_beyond_chance(run)) dummies_.insert(run.run.routing);
}

void TrafficRows::add(const TokenRow& row) {
  const std::uint64_t request = numbers_.of(row);
  if (row.experts.empty()) {
    ++left_out_.padding_rows;
    return;
  }
  if (none_.is_repeated(request)) {
    ++left_out_.repeated_rows;
    repeated_.insert(request);
    return;
  }
  const std::uint64_t routing = NoTraffic::routing_of(row);
  Held& held = held_[row.layer];
  if (held.rows > 0 && held.routing != routing) let_go(held);
  if (!none_.is_dummy(routing)) {
    take_(row, request);
    return;
  }
  if (held.rows == 0) {
    held.routing = routing;
    held.row = row;
  }
  ++held.rows;
  if (held.rows < NoTraffic::kPaddingRun) held.requests.push_back(request);
}

void TrafficRows::let_go(Held& held) {
  if (held.rows >= NoTraffic::kPaddingRun) {
    left_out_.dummy_rows += held.rows;
    ++left_out_.dummy_runs;
  } else {
    for (const std::uint64_t request : held.requests) take_(held.row, request);
  }
  held.rows = 0;
  held.requests.clear();
}

void TrafficRows::finish() {
  for (auto& [layer, held] : held_) let_go(held);
  left_out_.repeated_requests = repeated_.size();
}

}  // namespace a3sim
