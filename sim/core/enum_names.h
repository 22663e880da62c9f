#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

namespace a3sim {

// The names of an enum's values are defined once, next to the enum:
//   enum class L2Start : std::uint8_t { kCold, kWarm, kUsed };
//   constexpr auto names_of(L2Start) { return std::to_array<std::string_view>({"cold", "warm", "used"}); }
// Output and the readers of configurations use them.
template <class Enum>
concept NamedEnum = requires(Enum value) {
  { names_of(value)[0] } -> std::convertible_to<std::string_view>;
};

template <NamedEnum Enum>
inline constexpr auto kNamesOf = names_of(Enum{});

template <NamedEnum Enum>
constexpr std::string_view name_of(Enum value) {
  return kNamesOf<Enum>[static_cast<std::size_t>(value)];
}

// The number of values.
template <NamedEnum Enum>
inline constexpr std::size_t kCountOf = kNamesOf<Enum>.size();

}  // namespace a3sim
