#include "sim/core/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace a3sim {
namespace {

constexpr std::size_t kLongestCharacter = 4;

unsigned char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

std::size_t length_by(unsigned char first) {
  if (first >= 0xF0) return 4;
  return first >= 0xE0 ? 3 : 2;
}

}  // namespace

std::size_t shown_bytes(std::string_view text) {
  constexpr std::uint32_t kLeast[kLongestCharacter + 1] = {0, 0, 0x80, 0x800, 0x10000};
  constexpr std::uint32_t kC1End = 0xA0;
  const unsigned char first = byte_at(text, 0);
  if (first < 0x80) return (first >= ' ' && first != 0x7F) || first == '\n' || first == '\t' ? 1 : 0;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = length_by(first);
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned char next = byte_at(text, i);
    if (next >> 6U != 2) return 0;
    value = value << 6U | (next & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  return value < std::max(kLeast[length], kC1End) || surrogate || value > 0x10FFFF ? 0 : length;
}

std::string terminal_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = shown_bytes(text);
    if (length > 0)
      shown += text.substr(0, length);
    else
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", byte_at(text, 0));
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return shown;
}

}  // namespace a3sim
