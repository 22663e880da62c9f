#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace a3sim {

// Returns the CRC-32 of gzip and PNG. `before` is the checksum of the preceding bytes; the result covers
// both. Detects any change of up to 32 neighbouring bits, but not deliberate forgery.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);

// Returns a checksum as eight hexadecimal digits.
std::string checksum_text(std::uint32_t sum);

}  // namespace a3sim
