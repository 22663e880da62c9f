#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace a3sim {

// The CRC-32 of gzip and PNG, which every change of up to 32 neighbouring bits alters. Given the sum of what
// stands before, that of both together. It finds what went wrong by itself, not who means to deceive.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);

// As files have it: eight hexadecimal digits.
std::string checksum_text(std::uint32_t sum);

}  // namespace a3sim
