#include "sim/diagnosis/rules/port_in_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/core/statistics.h"
#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

constexpr double kLongestBin = 0.125e9;  // ps
constexpr double kBinsOfStep = 100;
constexpr double kHalf = 0.5;

// Bytes and active transfers of a port, by bin of time.
struct PortBins {
  std::vector<double> bytes, busy;
};
PortBins bins_of(const std::vector<const TransferRecord*>& puts, double of_port) {
  PortBins bins;
  if (puts.empty()) return bins;
  Duration first = Duration::max(), last{};
  for (const TransferRecord* put : puts) {
    first = std::min(first, put->start);
    last = std::max(last, put->end);
  }
  constexpr double kMostBins = 100'000;
  const double span = picoseconds(last - first);
  const double bin = std::max(of_port, span / kMostBins);
  const auto count = static_cast<std::size_t>(span / bin) + 1;
  bins.bytes.resize(count);
  bins.busy.resize(count);
  for (const TransferRecord* put : puts) {
    const double from = picoseconds(put->start - first) / bin;
    const double to = picoseconds(put->end - first) / bin;
    if (to <= from) continue;
    for (auto b = static_cast<std::size_t>(from); b < count && static_cast<double>(b) < to; ++b) {
      const double in = std::min(to, static_cast<double>(b) + 1) - std::max(from, static_cast<double>(b));
      bins.bytes[b] += put->bytes * in / (to - from) / bin;
      bins.busy[b] += in;
    }
  }
  return bins;
}

// Counts how often a port changes between its full rate and a low one, from bins of steps. A put's bytes are spread evenly over its
// time, so a single bin may hold more than the port carried in it: a state holds from the second bin in a row on.
class PortStates {
 public:
  PortStates(const RuleData& shared, double most)
      : full_(shared.at("port_full") * most),
        low_(shared.at("port_low") * most),
        enough_(shared.at("port_busy")) {}

  void add(const PortBins& bins) {
    int state = 0, before = 0;
    std::optional<std::size_t> fell;
    for (std::size_t b = 0; b < bins.bytes.size(); ++b) {
      if (bins.busy[b] < enough_) continue;
      ++busy_;
      bytes_ += bins.bytes[b];
      const int now = bins.bytes[b] >= full_ ? 1 : bins.bytes[b] <= low_ ? -1 : 0;
      low_bins_ += now < 0;
      const bool holds = now != 0 && now == std::exchange(before, now);
      if (!holds) continue;
      if (state != 0 && now != state) ++changes_;
      if (now < 0 && state > 0) {
        if (fell) between_.push_back(static_cast<double>(b - *fell));
        fell = b;
      }
      state = now;
    }
  }

  // Returns the mean rate of bins in which it has enough to send.
  double rate() const { return busy_ > 0 ? bytes_ / busy_ : 0; }
  double low() const { return busy_ > 0 ? low_bins_ / busy_ : 0; }
  std::uint32_t changes(std::size_t steps) const {
    return static_cast<std::uint32_t>(changes_ / static_cast<double>(std::max<std::size_t>(1, steps)));
  }
  double bins_between_falls() const { return median(between_); }

 private:
  double full_, low_, enough_;
  double busy_ = 0, bytes_ = 0, low_bins_ = 0, changes_ = 0;
  std::vector<double> between_;
};

double highest_rate(const std::vector<const TransferRecord*>& puts, double bin) {
  double most = 0;
  for (const double rate : bins_of(puts, bin).bytes) most = std::max(most, rate);
  return most;
}

// Returns by how much the times of equal puts go up and down from step to step: the changes of their logarithm, without
// the one from the first to the last, a step, mean over a port's puts. So a port that gets slower and slower does not
// count. Puts of one operator and path are told by their order. 0 with less than three steps.
double apart_over_steps(const std::vector<const Puts*>& of_port) {
  double sum = 0, count = 0;
  for (const Puts* puts : of_port) {
    std::vector<const TransferRecord*> ordered = puts->now;
    std::ranges::sort(ordered, {},
                      [](const TransferRecord* put) { return std::tuple(put->step, put->start, put->end); });
    std::map<std::size_t, std::vector<double>> times;  // by number in its step
    std::size_t number = 0;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      number = i > 0 && ordered[i]->step == ordered[i - 1]->step ? number + 1 : 0;
      if (ordered[i]->length() > Duration::zero())
        times[number].push_back(std::log(picoseconds(ordered[i]->length())));
    }
    for (const auto& [order, same] : times) {
      if (same.size() < 3) continue;
      double changes = -std::abs(same.back() - same.front());
      for (std::size_t i = 1; i < same.size(); ++i) changes += std::abs(same[i] - same[i - 1]);
      sum += changes / static_cast<double>(same.size() - 1);
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

void add_apart(const Slowdown& slowdown, std::uint32_t rank, bool egress, PortInTime& in_time) {
  std::map<std::uint32_t, std::vector<const Puts*>> ports;
  for (const auto& [key, puts] : slowdown.transfers.puts) ports[egress ? key.src : key.dst].push_back(&puts);
  std::vector<double> others;
  for (const auto& [port, puts] : ports)
    if (port != rank) others.push_back(apart_over_steps(puts));
  in_time.apart = apart_over_steps(ports[rank]);
  in_time.others = median(std::move(others));
}

// Bytes over the time in which a port has transfers.
class CarriedRate {
 public:
  void add(const TransferRecord& put) {
    bytes_ += put.bytes;
    busy_.emplace_back(put.start, put.end);
  }
  double bytes() const { return bytes_; }
  double rate() {
    unite(busy_);
    const double time = picoseconds(length_of(busy_));
    return time > 0 ? bytes_ / time : 0;
  }

 private:
  double bytes_ = 0;
  Stretches busy_;
};

// What a port carries in an exchange, now and usually.
struct Carried {
  double now = 0, usual = 0;
};

// Returns what a port carries in the exchange that it slows most, of the least that it would if it were slow all the time. Of two
// exchanges, such a port carries in the one that usually asks less of it the larger part of the usual, and in the other one as
// much or more: it carries what is asked of it, up to its limit.
double of_steady_port(const std::vector<Carried>& exchanges, double slow) {
  double least = 1;
  for (const Carried& one : exchanges) {
    if (one.now >= slow * one.usual) continue;
    for (const Carried& other : exchanges) {
      const double asked = std::min(1.0, one.usual / other.usual);
      least = std::min(least, one.now / other.now / asked);
    }
  }
  return least;
}

// Compares exchanges of as many bytes as usual in each step: more rows or fewer leave other gaps between transfers.
void add_exchanges(const Slowdown& slowdown, std::uint32_t rank, bool egress, double slow,
                   PortInTime& in_time) {
  using Exchange = std::pair<std::uint16_t, std::uint32_t>;  // pass, operator
  std::map<Exchange, CarriedRate> usual;
  std::map<std::uint32_t, std::map<Exchange, CarriedRate>> steps;
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    const bool is_slow = slowdown.transfers.rates.cells[key.src][key.dst] < std::log(slow);
    if ((egress ? key.src : key.dst) != rank || !is_slow) continue;
    for (const TransferRecord* put : puts.usual) usual[{key.pass, key.op}].add(*put);
    for (const TransferRecord* put : puts.now) steps[put->step][{key.pass, key.op}].add(*put);
  }
  double uneven = 0, slow_steps = 0;
  for (auto& [step, exchanges] : steps) {
    std::vector<Carried> carried;
    for (auto& [exchange, now] : exchanges) {
      CarriedRate& usually = usual[exchange];
      const double apart = std::abs(now.bytes() - usually.bytes());
      if (apart <= slowdown.shared.at("equal_work") * usually.bytes() && now.rate() > 0 && usually.rate() > 0)
        carried.push_back({now.rate(), usually.rate()});
    }
    // A step in which the port carries what it usually does is slow for another reason.
    slow_steps +=
        std::ranges::any_of(carried, [&](const Carried& one) { return one.now < slow * one.usual; });
    const double part = of_steady_port(carried, slow);
    in_time.of_steady = std::min(in_time.of_steady, part);
    uneven += part < slowdown.shared.at("port_uneven");
  }
  if (slow_steps > 0) in_time.uneven = uneven / slow_steps;
}

}  // namespace

PortInTime port_in_time(const Slowdown& slowdown, std::uint32_t rank, bool egress, double slow) {
  const double bin = std::min(kLongestBin, slowdown.usual() / kBinsOfStep);
  std::map<std::uint32_t, std::vector<const TransferRecord*>> steps;
  std::vector<const TransferRecord*> usual;
  // The transfers of other ranks, by rank and step. If no usual transfers are known, they show what a full
  // rate is.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const TransferRecord*>> others;
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    const std::uint32_t own = egress ? key.src : key.dst;
    const bool is_slow = slowdown.transfers.rates.cells[key.src][key.dst] < std::log(slow);
    if (own == rank && !is_slow) continue;
    for (const TransferRecord* put : puts.now)
      (own == rank ? steps[put->step] : others[{own, put->step}]).push_back(put);
    if (own == rank) usual.insert(usual.end(), puts.usual.begin(), puts.usual.end());
  }
  double most = highest_rate(usual, bin);
  if (most <= 0)
    for (const auto& [port, puts] : others) most = std::max(most, highest_rate(puts, bin));
  PortInTime in_time;
  add_apart(slowdown, rank, egress, in_time);
  add_exchanges(slowdown, rank, egress, slow, in_time);
  if (most <= 0) return in_time;
  PortStates usually(slowdown.shared, most), states(slowdown.shared, most);
  usually.add(bins_of(usual, bin));
  // Where it is usually low for half of the time, it cannot be seen to be so for longer.
  const double least = usually.low() > kHalf ? 0 : usually.low() + slowdown.shared.at("port_lower");
  const double changes = slowdown.shared.at(usual.empty() ? "port_changes" : "port_changes_usual");
  double changing = 0;
  std::size_t slow_steps = 0;
  for (const auto& [step, puts] : steps) {
    PortStates of_step(slowdown.shared, most);
    const PortBins bins = bins_of(puts, bin);
    of_step.add(bins);
    // A step in which the port carries what it usually does is slow for another reason.
    if (of_step.rate() > slow * usually.rate() && usually.rate() > 0) continue;
    ++slow_steps;
    states.add(bins);
    changing += of_step.changes(1) >= changes && of_step.low() > least;
  }
  in_time.changing = changing / static_cast<double>(std::max<std::size_t>(1, slow_steps));
  in_time.low = states.low();
  in_time.changes = states.changes(slow_steps);
  in_time.period = bin * states.bins_between_falls();
  return in_time;
}

}  // namespace a3sim
