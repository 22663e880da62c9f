#include "traces/import/profiled_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/core/error.h"

namespace a3sim {
namespace {

// Microseconds and their fraction.
struct Timestamp {
  std::int64_t whole = 0;
  double part = 0;
};
std::optional<Timestamp> parsed(std::string_view text) {
  Timestamp time;
  const char* last = text.data() + text.size();
  const auto [point, error] = std::from_chars(text.data(), last, time.whole);
  const bool good = error == std::errc{} && time.whole >= 0 &&
                    (point == last || (*point == '.' && std::from_chars(point, last, time.part).ptr == last));
  return good ? std::optional(time) : std::nullopt;
}

std::optional<Duration> since(const Timestamp& time, std::optional<std::int64_t>& origin) {
  constexpr std::int64_t kLongest = 1'000'000'000'000;  // of a profile: twelve days
  if (!origin) origin = time.whole;
  if (time.whole - *origin > kLongest || *origin - time.whole > kLongest) return {};
  return Duration((time.whole - *origin) * 1'000'000) + from_microseconds(time.part);
}

}  // namespace

Duration from_microseconds(double microseconds) { return Duration(std::llround(microseconds * 1e6)); }

std::optional<Duration> time_in(std::string_view text, std::optional<std::int64_t>& origin) {
  const std::optional<Timestamp> time = parsed(text);
  return time ? since(*time, origin) : std::nullopt;
}

ProfiledTable::ProfiledTable(const std::filesystem::path& path) : lines_(path) {
  if (!lines_.next(heads_)) throw InputError(name() + ": is empty, a header expected");
  if (!heads_.empty() && heads_[0].starts_with("\xef\xbb\xbf")) heads_[0].erase(0, 3);
}

ProfiledTable::Place ProfiledTable::place(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(heads_, name);
    if (found != heads_.end()) return static_cast<std::size_t>(found - heads_.begin());
  }
  return {};
}

std::size_t ProfiledTable::needed(std::initializer_list<std::string_view> names) const {
  if (const Place at = place(names)) return *at;
  throw InputError(fmt::format("{}:1: no column '{}'", name(), fmt::join(names, "' or '")));
}

bool ProfiledTable::next() {
  if (!lines_.next(cells_)) return false;
  if (cells_.size() != heads_.size())
    throw DamagedRow(fmt::format("{}:{}: {} cells, expected {} as in the header: was the file cut off?",
                                 name(), lines_.line(), cells_.size(), heads_.size()));
  return true;
}

std::optional<double> ProfiledTable::number(Place column, double least, double most) const {
  if (!column || absent(*column)) return {};
  const std::string& text = cells_[*column];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least) || value > most)
    fail(*column, fmt::format("a number from {} to {}", least, most));
  return value;
}

std::optional<Duration> ProfiledTable::time(Place column, std::optional<std::int64_t>& origin) const {
  if (!column || absent(*column)) return {};
  const std::optional<Timestamp> time = parsed(cells_[*column]);
  if (!time) fail(*column, "a time in microseconds");
  return since(*time, origin);
}

void ProfiledTable::fail(std::size_t column, const std::string& expected) const {
  throw DamagedRow(fmt::format("{}:{}: {}: '{}', expected {}", name(), lines_.line(), heads_[column],
                               cells_[column], expected));
}

}  // namespace a3sim
