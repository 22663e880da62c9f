#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

// Rows are quantised to int8 by one scale per row, which maps the largest element to 127. A row that is sent
// is followed by its scale: the four bytes of an fp32 in a block of 32 bytes, the least that a core copies.
namespace a3sim {

inline constexpr std::uint32_t kScaleColumns = 32;  // int8 columns
inline constexpr float kLargestInt8 = 127;

inline float scale_of(std::span<const float> row) {
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::fabs(value));
  return largest / kLargestInt8;
}

// Writes a row's elements, divided by its scale and rounded.
inline void quantize_row(std::span<const float> row, std::span<float> to) {
  const float scale = scale_of(row);
  for (std::size_t i = 0; i < row.size(); ++i)
    to[i] = scale == 0 ? 0 : std::clamp(std::nearbyint(row[i] / scale), -kLargestInt8, kLargestInt8);
}

inline void put_scale(float scale, std::span<float> columns) {
  const auto bits = std::bit_cast<std::uint32_t>(scale);
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = i < sizeof bits ? static_cast<float>(static_cast<std::int8_t>(bits >> 8 * i)) : 0;
}

inline float get_scale(std::span<const float> columns) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i)
    bits |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(static_cast<std::int8_t>(columns[i])))
            << 8 * i;
  return std::bit_cast<float>(bits);
}

}  // namespace a3sim
