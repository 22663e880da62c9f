#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/statistics.h"
#include "traces/import/ascend_files.h"
#include "traces/import/json_walk.h"
#include "traces/import/profiled_table.h"

// Reads the profiler's communication.json, value by value:
// {step: {p2p|collective: {name@group: {"Communication Time Info": {key: number},
// "Communication Bandwidth Info": {plane: {key: number, "Size Distribution": {MB: [number, ms]}}}}}}}
namespace a3sim {
namespace {

constexpr double kMostMilliseconds = 1e9, kMostMegabytes = 1e12;

Duration time_of(double milliseconds) { return Duration(std::llround(milliseconds * 1e9)); }

class Exchanges final : public JsonWalk {
 public:
  explicit Exchanges(const ExchangeSink& to) : to_(to) {}

 private:
  // Depths of objects; the file's own one is the first.
  static constexpr std::size_t kOfExchange = 4, kOfTimes = 5, kOfPlane = 6, kOfSizes = 8;
  // Planes work side by side; SDMA is the sum of those that it drives.
  struct Planes {
    double transit = 0, bytes = 0;  // ms of the longest, MB of all
  };
  struct Exchange {
    double start = -1, elapsed = -1, transit = 0, wait = 0, idle = 0;  // us, then ms
    bool transit_told = false;
    Planes own, driven;
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
      if (what == "Transit Time(ms)") {
        now_.transit = within(value, kMostMilliseconds);
        now_.transit_told = true;
      }
      if (what == "Wait Time(ms)") now_.wait = within(value, kMostMilliseconds);
      if (what == "Idle Time(ms)") now_.idle = std::max(0.0, value);
    }
    if (depth() == kOfPlane && key_at(4) == "Communication Bandwidth Info") {
      Planes& planes = key_at(5) == "SDMA" ? now_.driven : now_.own;
      if (last_key() == "Transit Time(ms)")
        planes.transit = std::max(planes.transit, within(value, kMostMilliseconds));
      if (last_key() == "Transit Size(MB)") planes.bytes += within(value, kMostMegabytes);
    }
    // SDMA is the sum of the planes that it drives.
    const bool counted = name() != "Total Op Info" && key_at(5) != "SDMA";
    if (depth() == kOfSizes && key_at(6) == "Size Distribution" && counted && item_ < 2) {
      size_[item_++] = value;
      if (item_ == 2) add_packets();
    }
  }

  // Adds packets of one size, each with the mean of their total time.
  void add_packets() {
    const std::string_view text = key_at(7);
    double megabytes = -1;
    std::from_chars(text.data(), text.data() + text.size(), megabytes);
    const double count = within(size_[0], 1e12), total = within(size_[1], kMostMilliseconds);
    const auto bytes = static_cast<std::uint64_t>(std::llround(within(megabytes, kMostMegabytes) * 1e6));
    to_.packets(bytes, count, time_of(total));
  }

  void finish() {
    if (name() == "Total Op Info" || now_.elapsed < 0) return;
    RecordedExchange seen{key_at(1),
                          name(),
                          key_at(2) == "collective",
                          std::nullopt,
                          time_of(now_.elapsed),
                          time_of(now_.transit),
                          time_of(now_.wait)};
    const Planes& planes = now_.own.transit > 0 || now_.own.bytes > 0 ? now_.own : now_.driven;
    seen.bytes = 1e6 * planes.bytes;
    seen.transit_told = now_.transit_told || planes.transit > 0;
    // CANN 8.3 has no transit time of large exchanges: it stands in the block of bandwidths, and the waits are idle time.
    if (now_.transit <= 0 && planes.transit > 0) {
      seen.transit = time_of(std::min(planes.transit, now_.elapsed));
      seen.waits_told = now_.wait > 0;
      if (!seen.waits_told) seen.waited = std::min(time_of(now_.idle), seen.elapsed - seen.transit);
    } else if (now_.transit <= 0 && now_.wait <= 0) {
      seen.waits_told = false;
    }
    to_.exchange(seen, now_.start);
  }

  const ExchangeSink& to_;
  std::size_t item_ = 0;  // in the current list
  Exchange now_;
  std::array<double, 2> size_{};
};

}  // namespace

std::string exchange_of(std::string_view name) {
  name = name.substr(0, name.rfind('@'));
  const std::size_t tag = name.find("__"), call = name.rfind('_');
  if (tag == std::string_view::npos || call < tag + 2) return printable(name);
  const std::string_view label = name.substr(tag + 2, call - tag - 2);
  const bool numbers = label.find_first_not_of("0123456789_") == std::string_view::npos;
  return printable(numbers ? name.substr(0, tag) : label);
}

bool is_between_two(std::string_view name) {
  std::string lower(name.substr(0, name.find("__")));
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.starts_with("hcom_send") || lower.starts_with("hcom_rec") ||
         lower.starts_with("hcom_batchsendrecv");
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
  found->second.try_emplace(rank, MeetingTimes{start, end});
}

std::map<std::uint32_t, ClockOffset> Meetings::clocks(const std::vector<std::uint32_t>& ranks) const {
  std::map<std::uint32_t, ClockOffset> clocks;
  std::vector<const std::map<std::uint32_t, MeetingTimes>*> shared;
  for (const auto& [key, times] : meetings_)
    if (times.size() == ranks.size()) shared.push_back(&times);
  if (shared.empty() || ranks.size() < 2) return clocks;
  const std::uint32_t first = ranks.front();
  for (const std::uint32_t rank : ranks) {
    std::vector<double> ahead;
    for (const auto* times : shared) ahead.push_back(times->at(rank).end - times->at(first).end);
    const auto [least, most] = std::ranges::minmax(ahead);
    clocks[rank] = {ahead.size(), from_microseconds(median(ahead)), from_microseconds(least),
                    from_microseconds(most)};
  }
  for (const auto* times : shared) {
    const auto came = [&](std::uint32_t rank) {
      return from_microseconds(times->at(rank).start - times->at(first).start) - clocks.at(rank).offset();
    };
    Duration last = Duration::min(), before = Duration::min();  // to come, and the one before it
    std::uint32_t who = first;
    for (const std::uint32_t rank : ranks) {
      const Duration time = came(rank);
      if (time > last) {
        before = std::exchange(last, time);
        who = rank;
      } else {
        before = std::max(before, time);
      }
    }
    clocks.at(who).late += (last - before) / static_cast<std::int64_t>(shared.size());
  }
  return clocks;
}

}  // namespace a3sim
