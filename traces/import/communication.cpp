#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/statistics.h"
#include "traces/import/ascend_files.h"
#include "traces/import/json_walk.h"
#include "traces/import/profiled_table.h"

// The profiler's communication.json, value by value:
// {step: {p2p|collective: {name@group: {"Communication Time Info": {key: number},
//   "Communication Bandwidth Info": {plane: {key: number, "Size Distribution": {MB: [number, ms]}}}}}}}
namespace a3sim {
namespace {

constexpr double kMostMilliseconds = 1e9, kMostMegabytes = 1e12;

Duration time_of(double milliseconds) { return Duration(std::llround(milliseconds * 1e9)); }

class Exchanges final : public JsonWalk {
 public:
  explicit Exchanges(const ExchangeSink& to) : to_(to) {}

 private:
  // Depths of the objects, the file's own being the first.
  static constexpr std::size_t kOfExchange = 4, kOfTimes = 5, kOfSizes = 8;
  struct Exchange {
    double start = -1, elapsed = -1, transit = 0, wait = 0;  // us, ms, ms, ms
  };

  void object_begins() override {
    if (depth() == kOfExchange) now_ = {};
  }
  void object_ends() override {
    if (depth() == kOfExchange) finish();
  }
  void list_begins() override { item_ = 0; }

  std::string_view name() const { return key_at(3); }

  double within(double value, double most) const {
    if (!(value >= 0 && value <= most))
      throw InputError(fmt::format("{}: {} of '{}': {}, expected a number from 0 to {}", file(), last_key(),
                                   printable(name()), value, most));
    return value;
  }

  void on_number(double value, const std::string&) override {
    if (depth() == kOfTimes && key_at(4) == "Communication Time Info") {
      const std::string_view what = last_key();
      if (what == "Start Timestamp(us)") now_.start = within(value, 1e18);
      if (what == "Elapse Time(ms)") now_.elapsed = within(value, kMostMilliseconds);
      if (what == "Transit Time(ms)") now_.transit = within(value, kMostMilliseconds);
      if (what == "Wait Time(ms)") now_.wait = within(value, kMostMilliseconds);
    }
    // SDMA is the sum of the planes that it drives.
    const bool counted = name() != "Total Op Info" && key_at(5) != "SDMA";
    if (depth() == kOfSizes && key_at(6) == "Size Distribution" && counted && item_ < 2) {
      size_[item_++] = value;
      if (item_ == 2) add_packets();
    }
  }

  // Its count and the time of all together; the mean stands for each.
  void add_packets() {
    const std::string_view text = key_at(7);
    double megabytes = -1;
    std::from_chars(text.data(), text.data() + text.size(), megabytes);
    const double count = within(size_[0], 1e12), total = within(size_[1], kMostMilliseconds);
    const auto bytes = static_cast<std::uint64_t>(std::llround(within(megabytes, kMostMegabytes) * 1e6));
    if (to_.packets) to_.packets(bytes, count, time_of(total));
  }

  void finish() {
    if (name() == "Total Op Info" || now_.elapsed < 0) return;
    to_.exchange({key_at(1), name(), key_at(2) == "collective", now_.start, now_.elapsed * 1e3,
                  time_of(now_.elapsed), time_of(now_.transit), time_of(now_.wait)});
  }

  const ExchangeSink& to_;
  std::size_t item_ = 0;  // of the list at hand
  Exchange now_;
  std::array<double, 2> size_{};
};

}  // namespace

std::string exchange_of(std::string_view name) {
  name = name.substr(0, name.rfind('@'));
  const std::size_t tag = name.find("__"), call = name.rfind('_');
  if (tag == std::string_view::npos || call < tag + 2) return printable(name);
  const std::string_view of = name.substr(tag + 2, call - tag - 2);
  const bool numbers = of.find_first_not_of("0123456789_") == std::string_view::npos;
  return printable(numbers ? name.substr(0, tag) : of);
}

void read_communication(const std::filesystem::path& file, std::uint32_t rank, Measured& to,
                        Meetings& meetings) {
  ExchangeSink sink;
  sink.exchange = [&](const SeenExchange& seen) {
    Occurrences& of = to.exchange(rank, exchange_of(seen.name));
    of.add(seen.elapsed, seen.waited);
    of.transit += seen.transit;
    if (seen.start_us >= 0 && seen.collective)
      meetings.add(rank, fmt::format("{}/{}", seen.step, seen.name), seen.start_us,
                   seen.start_us + seen.elapsed_us);
  };
  sink.packets = [&](std::uint64_t bytes, double count, Duration total) {
    Occurrences& of = to.packet(rank, bytes);
    if (count < 1) return;
    Occurrences more;
    more.count = static_cast<std::uint64_t>(count);
    more.total = total;
    more.least = more.most = more.mean();
    of += more;
  };
  read_communication(file, sink);
}

void read_communication(const std::filesystem::path& file, const ExchangeSink& to) {
  Exchanges(to).read(file);
}

void Meetings::add(std::uint32_t rank, const std::string& key, double start, double end) {
  constexpr std::size_t kMostMeetings = 2000;
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
