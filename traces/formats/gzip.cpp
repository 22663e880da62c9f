#include "traces/formats/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace a3sim {

std::string gzip(std::string_view text, GzipFor aim) {
  constexpr int kWindow = 15 + 16;  // the largest window, with a gzip header
  constexpr int kMemory = 8;        // zlib's default
  z_stream stream{};
  const int level = aim == GzipFor::kSpeed ? Z_BEST_SPEED : Z_BEST_COMPRESSION;
  if (deflateInit2(&stream, level, Z_DEFLATED, kWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot start");
  std::string out;
  std::array<char, 1 << 16> buffer{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::size_t part = std::min<std::size_t>(text.size(), std::numeric_limits<uInt>::max());
      // zlib does not write to its input, but takes it without const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
      stream.avail_in = static_cast<uInt>(part);
      text.remove_prefix(part);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace a3sim
