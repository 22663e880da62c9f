#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace a3sim {

// The value of a text, or an error that says what was expected.
template <class T>
struct Parsed {
  T value{};
  std::string error;  // empty: `value` is valid
};

enum class QuantityKind : std::uint8_t { kBytes, kRate, kDuration, kFrequency };

// The largest quantity in base units (11 days in ps, 1 EB), which leaves room to add a few.
inline constexpr std::int64_t kLargestQuantity = 1'000'000'000'000'000'000;

// Read `1.1 us`, `192 MiB`, `1.6 TB/s` and `1850 MHz` as whole ps, bytes, bytes per second and Hz. The
// decimal number is exact: one that is not a whole number of base units is refused, not rounded, and so are
// negative ones.
Parsed<std::int64_t> parse_quantity(std::string_view text, QuantityKind kind);

// Reads `4096` or `-1`: decimal digits without leading zeros.
Parsed<std::int64_t> parse_integer(std::string_view text, std::int64_t min, std::int64_t max);

// Reads `0.5` or `1e-3`: finite decimal numbers.
Parsed<double> parse_number(std::string_view text, double min, double max);

// Reads `110 B/cycle`: a positive number of `unit` per cycle.
Parsed<double> parse_per_cycle(std::string_view text, std::string_view unit);

Parsed<bool> parse_boolean(std::string_view text);

// Return what each parser expects, for messages: "an integer from 1 to 64", "a size such as '192 MiB'".
std::string expected_quantity(QuantityKind kind);
std::string expected_integer(std::int64_t min, std::int64_t max);
std::string expected_number(double min, double max);
std::string expected_per_cycle(std::string_view unit);

// Regular expressions for a decimal number and for a whole quantity.
inline constexpr std::string_view kNumberPattern = "[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?";
std::string quantity_pattern(QuantityKind kind);

}  // namespace a3sim
