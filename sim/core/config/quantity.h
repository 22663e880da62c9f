#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace a3sim {

// What a text was read as, or what is wrong with it and what was expected.
template <class T>
struct Parsed {
  T value{};
  std::string error;  // empty: `value` is good
};

enum class QuantityKind : std::uint8_t { kBytes, kRate, kDuration, kFrequency };

// Every quantity is at most this many of its base unit (11 days in ps, 1 EB), which leaves room to add a few.
inline constexpr std::int64_t kLargestQuantity = 1'000'000'000'000'000'000;

// `1.1 us`, `192 MiB`, `1.6 TB/s`, `1850 MHz` in whole ps, bytes, bytes a
// second, Hz. The decimal number is converted exactly: what is not a whole
// number of the base unit is refused, never rounded. So are negative ones.
Parsed<std::int64_t> parse_quantity(std::string_view text, QuantityKind kind);

// `4096`, `-1`: decimal digits without leading zeros, nothing else.
Parsed<std::int64_t> parse_integer(std::string_view text, std::int64_t min, std::int64_t max);

// `0.5`, `1e-3`: finite decimal numbers.
Parsed<double> parse_number(std::string_view text, double min, double max);

// `110 B/cycle`: a positive number of `unit` a cycle.
Parsed<double> parse_per_cycle(std::string_view text, std::string_view unit);

Parsed<bool> parse_boolean(std::string_view text);

// What each of them expects, for messages: "an integer from 1 to 64", "a size such as '192 MiB'".
std::string expected_quantity(QuantityKind kind);
std::string expected_integer(std::int64_t min, std::int64_t max);
std::string expected_number(double min, double max);
std::string expected_per_cycle(std::string_view unit);

// Regular expressions of what is read: a decimal number, and a quantity as a whole.
inline constexpr std::string_view kNumberPattern = "[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?";
std::string quantity_pattern(QuantityKind kind);

}  // namespace a3sim
