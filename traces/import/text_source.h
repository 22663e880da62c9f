#pragma once

#include <filesystem>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/text_source.h"

namespace a3sim {

// A file as a stream of JSON, unpacked in the same way. Ends with an error if a text or a number is longer than any
// in a trace, since a parser keeps each in memory.
class JsonBytes final : public std::streambuf {
 public:
  explicit JsonBytes(const std::filesystem::path& path) : source_(path) {}

 private:
  int_type underflow() override;
  void pass(char c);

  TextSource source_;
  std::string piece_;
  std::size_t length_ = 0;  // of the current text or number
  bool in_text_ = false, escaped_ = false;
};

// Reads the lines of a table of comma-separated values. Cells may be quoted, and may then hold commas and
// line ends. Tabs and spaces around them are dropped.
class ProfileLines {
 public:
  explicit ProfileLines(const std::filesystem::path& path) : source_(path) {}

  // Reads the next line's cells. Returns false at the end. Throws InputError for a line longer than any
  // profiler's.
  bool next(std::vector<std::string>& cells);
  std::size_t line() const { return line_; }
  const std::string& name() const { return source_.name(); }

 private:
  bool next_line(std::string& line);
  bool next_piece(std::string& line);
  void give_back(std::string& line, std::size_t first, int lines);

  TextSource source_;
  std::string_view rest_;
  std::string_view behind_;  // what followed the first line of a row, while its piece is kept
  std::string text_, again_;
  std::size_t line_ = 0;
};

// Returns at most so many bytes from the beginning of a file, unpacked; none if it cannot be read.
std::string first_bytes(const std::filesystem::path& path, std::size_t most);

}  // namespace a3sim
