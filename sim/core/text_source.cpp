#include "sim/core/text_source.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kPiece = 1 << 16;
constexpr std::int64_t kHarmless = 64 << 20;

}  // namespace

TextSource::TextSource(const std::filesystem::path& path, std::int64_t most_unpacked)
    : name_(path.string()), buffer_(kPiece, '\0'), most_unpacked_(most_unpacked) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError(fmt::format("{}: is no file that can be read", name_));
  file_ = gzopen(path.c_str(), "rb");  // what is not packed is read as it is
  if (file_ == nullptr)
    throw InputError(fmt::format("{}: cannot be opened: {}", name_, std::strerror(errno)));
}

TextSource::~TextSource() { gzclose(file_); }

std::string_view TextSource::piece() {
  const int read = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int error = Z_OK;
  const char* why = gzerror(file_, &error);
  // A truncated .gz ends with Z_BUF_ERROR.
  if (read < 0 || (read == 0 && error != Z_OK && error != Z_STREAM_END))
    throw InputError(
        fmt::format("{}: cannot be read: {}", name_, error == Z_ERRNO ? std::strerror(errno) : why));
  unpacked_ += std::max(read, 0);
  if (unpacked_ > kHarmless && unpacked_ > most_unpacked_ * gzoffset(file_))
    throw InputError(
        fmt::format("{}: unpacks to more than {} times its size: is this a profile?", name_, most_unpacked_));
  return std::string_view(buffer_).substr(0, static_cast<std::size_t>(read));
}

}  // namespace a3sim
