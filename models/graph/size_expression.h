#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace a3sim {

using SizeSymbols = std::map<std::string, std::uint32_t, std::less<>>;

// The value of an expression, or why it has none.
struct SizeValue {
  std::uint32_t value = 1;
  std::vector<std::string> names;  // that it uses; none if it cannot be evaluated
  std::string wrong;               // why it is not a size; empty if it is one
};

// Evaluates an expression such as `12`, `2*intermediate`, `m/ranks` or `ceil(rows/tiles)`: + - * / and
// parentheses; ceil, floor, min and max. Its value must be a whole number from 1 to 2^31 - 1.
SizeValue evaluate_size(const std::string& text, const SizeSymbols& symbols);

}  // namespace a3sim
