#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace a3sim {

using SizeSymbols = std::map<std::string_view, std::uint32_t>;

// The value of `12`, `hidden` or `2*intermediate`; none if it is anything else, or above 2^31 - 1.
std::optional<std::uint32_t> evaluate_size(std::string_view text, const SizeSymbols& symbols);

}  // namespace a3sim
