#include "sim/core/checksum.h"

#include <fmt/format.h>
#include <zlib.h>

namespace a3sim {

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // zlib would return the initial value for a null buffer
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string checksum_text(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

}  // namespace a3sim
