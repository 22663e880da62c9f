#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "traces/report/table.h"

namespace a3sim {
namespace {

Column column_of(std::string head, std::string key, Form form, int decimals) {
  return {.head = std::move(head), .key = std::move(key), .form = form, .decimals = decimals};
}

std::string time_text(Duration time, const Column& column) {
  if (column.form == Form::kMicroseconds) return fmt::format("{:.{}f}", microseconds(time), column.decimals);
  return fmt::format("{:.{}f}", milliseconds(time), column.decimals);
}

std::string number_text(double value, const Column& column) {
  switch (column.form) {
    case Form::kPercent:
      return fmt::format("{:.{}f} %", 100 * value, column.decimals);
    case Form::kSignedPercent:
      return fmt::format("{:+.{}f} %", 100 * value, column.decimals);
    case Form::kMega:
      return fmt::format("{:.{}f}", value * 1e-6, column.decimals);
    case Form::kSignificant:
      return significant(value);
    case Form::kPrefixed:
      return with_prefix(value);
    default:
      return fmt::format("{:.{}f}", value, column.decimals);
  }
}

}  // namespace

Column Column::words(std::string head, std::string key) {
  return column_of(std::move(head), std::move(key), Form::kPlain, 0);
}
Column Column::count(std::string head, std::string key) {
  return column_of(std::move(head), std::move(key), Form::kPlain, 0);
}
Column Column::number(std::string head, std::string key, int decimals) {
  return column_of(std::move(head), std::move(key), Form::kPlain, decimals);
}
Column Column::milliseconds(std::string head, std::string key) {
  return column_of(std::move(head), std::move(key), Form::kMilliseconds, 3);
}
Column Column::microseconds(std::string head, std::string key) {
  return column_of(std::move(head), std::move(key), Form::kMicroseconds, 2);
}
Column Column::percent(std::string head, std::string key, int decimals) {
  return column_of(std::move(head), std::move(key), Form::kPercent, decimals);
}
Column Column::mega(std::string head, std::string key) {
  return column_of(std::move(head), std::move(key), Form::kMega, 1);
}

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

std::string text_of(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* time = std::get_if<Duration>(&cell)) return time_text(*time, column);
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
