#include "sim/core/zip_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <stdexcept>

namespace a3sim {
namespace {

constexpr std::string_view kEnd("PK\x05\x06", 4), kCentral("PK\x01\x02", 4), kLocal("PK\x03\x04", 4);
constexpr std::size_t kEndSize = 22, kCentralSize = 46, kLocalSize = 30;

}  // namespace

// Returns a number, the lowest byte first.
std::size_t ZipFile::number(std::size_t at, std::size_t bytes) const {
  if (at + bytes > bytes_.size()) throw std::invalid_argument("a .zip file that ends in the middle");
  std::size_t value = 0;
  for (std::size_t b = bytes; b-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes_[at + b]);
  return value;
}

ZipFile::ZipFile(std::string_view bytes) : bytes_(bytes) {
  const std::size_t end = bytes.rfind(kEnd);
  if (end == std::string_view::npos || end + kEndSize > bytes.size())
    throw std::invalid_argument("a .zip file without its list of members, which stands at the end");
  std::size_t at = number(end + 16, 4);
  for (std::size_t left = number(end + 10, 2); left > 0; --left) {
    if (at + kCentralSize > bytes.size() || bytes.substr(at, 4) != kCentral)
      throw std::invalid_argument("a .zip file whose list of members is damaged");
    const std::size_t flags = number(at + 8, 2), method = number(at + 10, 2), name = number(at + 28, 2);
    if (at + kCentralSize + name > bytes.size())
      throw std::invalid_argument("a .zip file that ends in the middle");
    Member member{std::string(bytes.substr(at + kCentralSize, name)), number(at + 42, 4), number(at + 20, 4),
                  number(at + 24, 4), method == Z_DEFLATED};
    if ((flags & 1U) != 0 || (method != 0 && method != Z_DEFLATED))
      throw std::invalid_argument(
          fmt::format("'{}': a member of a .zip file that is neither stored nor deflated", member.name));
    members_.push_back(std::move(member));
    at += kCentralSize + name + number(at + 30, 2) + number(at + 32, 2);
  }
}

std::string ZipFile::contents(const Member& member, std::size_t most) const {
  if (member.unpacked > most)
    throw std::invalid_argument(
        fmt::format("'{}' has {} bytes, expected at most {}", member.name, member.unpacked, most));
  if (member.at + kLocalSize > bytes_.size() || bytes_.substr(member.at, 4) != kLocal)
    throw std::invalid_argument(fmt::format("'{}': its place in the .zip file is damaged", member.name));
  const std::size_t begin = member.at + kLocalSize + number(member.at + 26, 2) + number(member.at + 28, 2);
  if (begin > bytes_.size() || member.packed > bytes_.size() - begin)
    throw std::invalid_argument(fmt::format("'{}' ends in the middle", member.name));
  const std::string_view packed = bytes_.substr(begin, member.packed);
  if (!member.deflated) return std::string(packed);
  std::string text(member.unpacked, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::invalid_argument("zlib cannot unpack");
  const int status = inflate(&stream, Z_FINISH);
  const bool whole = status == Z_STREAM_END && stream.total_out == member.unpacked;
  inflateEnd(&stream);
  if (!whole) throw std::invalid_argument(fmt::format("'{}' is damaged", member.name));
  return text;
}

}  // namespace a3sim
