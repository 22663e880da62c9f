#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim/core/text_source.h"

namespace a3sim {

// Lines of a log are not kept, however well they pack.
inline constexpr std::int64_t kAnyRatio = 1 << 20;

// Reads the lines of a file, perhaps packed, without their ends.
class LogLines {
 public:
  explicit LogLines(const std::filesystem::path& file);
  // Reads the next line. Returns false at the end. Valid until the next call. Throws InputError for a line that no log has.
  bool next(std::string_view& line);
  // Returns whether the last line that was read had an end.
  bool ended() const { return ended_; }
  std::size_t number() const { return number_; }
  // Throws InputError about the line.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  TextSource source_;
  std::string kept_;  // of a line that began in an earlier piece
  std::string_view rest_;
  std::size_t number_ = 0;
  bool ended_ = true;
};

}  // namespace a3sim
