#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace a3sim {

using SizeSymbols = std::map<std::string_view, std::uint32_t>;

// Returns the value of an expression such as `12`, `hidden` or `2*intermediate`. Returns nullopt for anything
// else, and for values above 2^31 - 1.
std::optional<std::uint32_t> evaluate_size(std::string_view text, const SizeSymbols& symbols);

}  // namespace a3sim
