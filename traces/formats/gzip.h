#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace a3sim {

enum class GzipFor : std::uint8_t { kSpeed, kSize };

// Returns the text as a .gz file without name and time. Equal texts give equal bytes.
std::string gzip(std::string_view text, GzipFor aim = GzipFor::kSpeed);

}  // namespace a3sim
