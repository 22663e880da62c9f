#pragma once

#include <cstdint>
#include <string_view>

namespace a3sim {

// Returns the longest prefix of `text` that is a decimal number, -? digits (. digits)? ([eE] [+-]? digits)?;
// may be empty.
std::string_view leading_decimal(std::string_view text);

enum class Scaled : std::uint8_t { kExact, kTooLarge, kNotWhole };

// Stores `decimal` times `unit` in `result` and returns kExact if that is a whole number up to `largest` (at
// most 10^18). `decimal` is a decimal number without sign, `unit` is between 1 and 2^40.
Scaled scale_decimal(std::string_view decimal, std::int64_t unit, std::int64_t largest, std::int64_t& result);

// Reads decimal digits with an optional minus. Returns false if the value does not fit.
bool decimal_integer(std::string_view text, std::int64_t& result);

// Reads the nearest double, never -0. Returns false if the number is too large for a double, or not zero and
// too small.
bool decimal_double(std::string_view decimal, double& result);

}  // namespace a3sim
