#include "traces/report/page/packed_columns.h"

namespace a3sim {

void PackedColumns::append(std::int64_t difference) {
  constexpr unsigned kBits = 7, kMore = 1U << kBits;
  auto code = static_cast<std::uint64_t>(difference) << 1;
  if (difference < 0) code = ~code;
  for (; code >= kMore; code >>= kBits) bytes_ += static_cast<char>(code | kMore);
  bytes_ += static_cast<char>(code);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : kLetters[three >> (18 - 6 * j) & 63];
  }
  return text;
}

}  // namespace a3sim
