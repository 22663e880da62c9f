#pragma once

#include <filesystem>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;  // NOLINT(readability-identifier-naming): zlib's

namespace a3sim {

// A file's bytes in pieces, unpacked where it is a .gz: memory does not grow with it.
class TextSource {
 public:
  // Throws InputError that names the file when it cannot be opened.
  explicit TextSource(const std::filesystem::path& path);
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  ~TextSource();

  // The next piece, empty at the end; valid until the next call. Throws InputError where it cannot be read.
  std::string_view piece();
  const std::string& name() const { return name_; }

 private:
  std::string name_, buffer_;
  gzFile_s* file_ = nullptr;
  std::int64_t unpacked_ = 0;  // bytes
};

// The same as a stream of JSON, which ends with an error where a text or a number is longer than any of a trace: a
// parser keeps each in memory.
class JsonBytes final : public std::streambuf {
 public:
  explicit JsonBytes(const std::filesystem::path& path) : source_(path) {}

 private:
  int_type underflow() override;
  void pass(char c);

  TextSource source_;
  std::string piece_;
  std::size_t length_ = 0;  // of the text or number at hand
  bool in_text_ = false, escaped_ = false;
};

// The lines of a table of comma-separated values. Cells may be quoted and hold commas and ends of lines; tabs and
// spaces around them are no part of them.
class ProfileLines {
 public:
  explicit ProfileLines(const std::filesystem::path& path) : source_(path) {}

  // The next line's cells; false at the end. Throws InputError for a line that is longer than any profiler's.
  bool next(std::vector<std::string>& cells);
  std::size_t line() const { return line_; }
  const std::string& name() const { return source_.name(); }

 private:
  bool next_line(std::string& line);
  bool next_piece(std::string& line);

  TextSource source_;
  std::string_view rest_;
  std::string text_;
  std::size_t line_ = 0;
};

}  // namespace a3sim
