#pragma once

#include <cstdint>
#include <string_view>

namespace a3sim {

// The longest beginning of `text` that is a decimal number:
// -? digits (. digits)? ([eE] [+-]? digits)?; may be empty.
std::string_view leading_decimal(std::string_view text);

enum class Scaled : std::uint8_t { kExact, kTooLarge, kNotWhole };

// `decimal` times `unit`, exactly, into `result` if it is a whole number up to `largest` (at most 10^18).
// `decimal` is a decimal number without sign, `unit` lies between 1 and 2^40.
Scaled scale_decimal(std::string_view decimal, std::int64_t unit, std::int64_t largest, std::int64_t& result);

// The value of decimal digits with an optional minus; false if it does not fit.
bool decimal_integer(std::string_view text, std::int64_t& result);

// The nearest double, never -0; false if it is too large, or not zero and too small, for one.
bool decimal_double(std::string_view decimal, double& result);

}  // namespace a3sim
