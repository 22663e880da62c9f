#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

struct gzFile_s;  // NOLINT(readability-identifier-naming): zlib's

namespace a3sim {

// Reads a file in pieces, and unpacks it if it is a .gz. Takes the same memory for any size.
class TextSource {
 public:
  // Throws InputError with the file's name if it cannot be opened. A .gz may not unpack to more than `most_unpacked` times
  // its size, as one of blanks does: for readers that keep what they read.
  explicit TextSource(const std::filesystem::path& path, std::int64_t most_unpacked = kMostUnpacked);
  static constexpr std::int64_t kMostUnpacked = 200;  // traces of similar tasks pack to a fortieth
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  ~TextSource();

  // Returns the next piece, valid until the next call; empty at the end. Throws InputError if it cannot be
  // read.
  std::string_view piece();
  const std::string& name() const { return name_; }

 private:
  std::string name_, buffer_;
  gzFile_s* file_ = nullptr;
  std::int64_t most_unpacked_, unpacked_ = 0;  // bytes
};

}  // namespace a3sim
