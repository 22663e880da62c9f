#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "traces/report/table.h"

namespace a3sim {
namespace {

// Times are in picoseconds.
std::string number_text(double value, const Column& column) {
  constexpr double kMilliseconds = 1e-9, kMicroseconds = 1e-6, kMega = 1e-6;
  switch (column.form) {
    case Form::kMilliseconds:
      return fmt::format("{:.{}f}", value * kMilliseconds, column.decimals);
    case Form::kSignedMilliseconds:
      return fmt::format("{:+.{}f}", value * kMilliseconds, column.decimals);
    case Form::kMicroseconds:
      return fmt::format("{:.{}f}", value * kMicroseconds, column.decimals);
    case Form::kPercent:
      return in_percent(value, column.decimals);
    case Form::kSignedPercent:
      return fmt::format("{:+.{}f} %", 100 * value, column.decimals);
    case Form::kMega:
      return fmt::format("{:.{}f}", value * kMega, column.decimals);
    case Form::kSignificant:
      return significant(value);
    case Form::kPrefixed:
      return with_prefix(value);
    default:
      return fmt::format("{:.{}f}", value, column.decimals);
  }
}

}  // namespace

Column Column::for_people() && {
  seen = Seen::kByPeople;
  return std::move(*this);
}
Column Column::for_programs() && {
  seen = Seen::kByPrograms;
  return std::move(*this);
}
Column Column::or_else(std::string text) && {
  nothing = std::move(text);
  return std::move(*this);
}

Cell share(double part, double of) { return of != 0 ? Cell(part / of) : Cell(); }
Cell share(Duration part, Duration of) { return share(seconds(part), seconds(of)); }

std::string text_of(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* time = std::get_if<Duration>(&cell))
    return number_text(static_cast<double>(time->count()), column);
  if (const auto* value = std::get_if<double>(&cell)) return number_text(*value, column);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    return column.form == Form::kPlain ? fmt::format("{}", *whole)
                                       : number_text(static_cast<double>(*whole), column);
  }
  return column.nothing;
}

std::string exact_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* time = std::get_if<Duration>(&cell)) return fmt::format("{}", time->count());
  if (const auto* value = std::get_if<double>(&cell)) return fmt::format("{}", *value);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  return "";
}

std::string in_milliseconds(Duration time) { return fmt::format("{:.3f}", milliseconds(time)); }

std::string in_percent(double share, int decimals) {
  const std::string text = fmt::format("{:.{}f} %", 100 * share, decimals);
  const bool zero = text.find_first_of("123456789nf") == std::string::npos;  // of "nan" and "inf" too
  return zero && text.front() == '-' ? text.substr(1) : text;
}

std::string significant(double value) {
  constexpr int kDigits = 4, kMostDecimals = 12;
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:.3f}", value);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(kDigits - 1 - magnitude, 0, kMostDecimals));
}

std::string with_prefix(double amount) {
  constexpr std::string_view kPrefixes[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t prefix = 0;
  for (; amount >= 1000 && prefix + 1 < std::size(kPrefixes); ++prefix) amount *= 1e-3;
  return fmt::format("{:.{}f}{}", amount, amount < 10 ? 2 : 1, kPrefixes[prefix]);
}

}  // namespace a3sim
