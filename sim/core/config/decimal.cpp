#include "sim/core/config/decimal.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace a3sim {
namespace {

std::size_t skip_digits(std::string_view text, std::size_t i) {
  while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
  return i;
}

// digits x 10^exponent, without zeros at either end.
struct Digits {
  std::string digits;
  std::int64_t exponent = 0;
};

Digits split(std::string_view decimal) {
  const std::size_t e = std::min(decimal.find_first_of("eE"), decimal.size());
  const std::string_view mantissa = decimal.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  Digits result{std::string(mantissa.substr(0, point)), 0};
  if (point < mantissa.size()) {
    result.digits += mantissa.substr(point + 1);
    result.exponent = -static_cast<std::int64_t>(mantissa.size() - point - 1);
  }
  if (e < decimal.size()) {
    std::string_view power = decimal.substr(e + 1);
    if (power.front() == '+') power.remove_prefix(1);
    // Far beyond the range of any unit, but small enough for additions. An exponent that does not even fit
    // gives the same result.
    constexpr std::int64_t kFar = 1'000'000'000;
    std::int64_t shift = 0;
    if (!decimal_integer(power, shift)) shift = power.front() == '-' ? -kFar : kFar;
    result.exponent += std::clamp(shift, -kFar, kFar);
  }
  const std::size_t last = result.digits.find_last_not_of('0');
  if (last == std::string::npos) return {};
  result.exponent += static_cast<std::int64_t>(result.digits.size() - last - 1);
  result.digits.erase(last + 1);
  result.digits.erase(0, result.digits.find_first_not_of('0'));
  return result;
}

}  // namespace

std::string_view leading_decimal(std::string_view text) {
  const std::size_t start = text.starts_with('-') ? 1 : 0;
  std::size_t end = skip_digits(text, start);
  if (end == start) return "";
  if (end < text.size() && text[end] == '.') {
    const std::size_t fraction = skip_digits(text, end + 1);
    if (fraction > end + 1) end = fraction;
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t power = end + 1;
    if (power < text.size() && (text[power] == '+' || text[power] == '-')) ++power;
    if (skip_digits(text, power) > power) end = skip_digits(text, power);
  }
  return text.substr(0, end);
}

Scaled scale_decimal(std::string_view decimal, std::int64_t unit, std::int64_t largest,
                     std::int64_t& result) {
  const Digits number = split(decimal);
  // As many digits as fit 128 bits after multiplication. A number with more could only be a whole number of
  // bytes spelt out in TiB or GiB.
  constexpr std::size_t kMostDigits = 26;
  const auto magnitude = static_cast<std::int64_t>(number.digits.size()) + number.exponent;
  constexpr std::int64_t kLargestMagnitude = 19;
  if (magnitude > kLargestMagnitude) return Scaled::kTooLarge;
  if (number.digits.size() > kMostDigits) return Scaled::kNotWhole;
  __int128 value = 0;
  for (const char digit : number.digits) value = value * 10 + (digit - '0');
  value *= unit;
  for (std::int64_t e = number.exponent; e > 0 && value <= largest; --e) value *= 10;
  for (std::int64_t e = number.exponent; e < 0 && value != 0; ++e) {
    if (value % 10 != 0) return Scaled::kNotWhole;
    value /= 10;
  }
  if (value > largest) return Scaled::kTooLarge;
  result = static_cast<std::int64_t>(value);
  return Scaled::kExact;
}

bool decimal_integer(std::string_view text, std::int64_t& result) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  return error == std::errc() && end == text.data() + text.size();
}

bool decimal_double(std::string_view decimal, double& result) {
  const auto [end, error] = std::from_chars(decimal.data(), decimal.data() + decimal.size(), result);
  if (error != std::errc() || end != decimal.data() + decimal.size()) return false;
  result += 0.0;  // -0 becomes 0
  return true;
}

}  // namespace a3sim
