#include "traces/import/text_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/core/csv.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace), end = text.find_last_not_of(kSpace);
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

}  // namespace

JsonBytes::int_type JsonBytes::underflow() {
  const std::string_view piece = source_.piece();
  if (piece.empty()) return traits_type::eof();
  for (const char c : piece) {
    pass(c);
    if (++length_ > kLongestLine)
      throw InputError(fmt::format("{}: a text or a number of more than {} bytes: is this a profile?",
                                   source_.name(), kLongestLine));
  }
  piece_ = piece;
  setg(piece_.data(), piece_.data(), piece_.data() + piece_.size());
  return traits_type::to_int_type(*gptr());
}

// Counts lengths. A text ends at its quote, a number at any separator.
void JsonBytes::pass(char c) {
  if (in_text_) {
    if (c == '"' && !escaped_) in_text_ = false;
    if (!in_text_) length_ = 0;
    escaped_ = c == '\\' && !escaped_;
  } else if (std::string_view(" \t\r\n,:[]{}\"").find(c) != std::string_view::npos) {
    length_ = 0;
    in_text_ = c == '"';
    escaped_ = false;
  }
}

// Reads to the next line end outside of quotes.
bool ProfileLines::next_line(std::string& line) {
  constexpr int kMostLines = 16;  // of one cell
  line.clear();
  bool quoted = false;
  std::size_t first = 0;
  int lines = 0;
  for (std::size_t seen = 0; next_piece(line); seen = line.size()) {
    if (has_open_quote(std::string_view(line).substr(seen))) quoted = !quoted;
    if (!quoted) return true;
    line += '\n';
    if (++lines == 1) {
      first = line.size();
      behind_ = rest_;
    }
    if (lines == kMostLines) break;
  }
  // A row that was cut off in a quoted cell must not take the rows behind it along.
  if (lines > 1) give_back(line, first, lines - 1);
  return !line.empty();
}

// Reads what follows the first line of a row again, as rows of their own.
void ProfileLines::give_back(std::string& line, std::size_t first, int lines) {
  if (behind_.data() != nullptr) {
    rest_ = behind_;  // still in the same piece
  } else {
    again_ = line.substr(first) + std::string(rest_);
    rest_ = again_;
  }
  line_ -= static_cast<std::size_t>(lines);
  line.resize(first);
}

bool ProfileLines::next_piece(std::string& line) {
  const std::size_t before = line.size();
  while (true) {
    if (rest_.empty()) {
      behind_ = {};
      rest_ = source_.piece();
    }
    if (rest_.empty()) {
      if (line.size() > before) ++line_;
      return line.size() > before;
    }
    const std::size_t end = rest_.find('\n');
    line += rest_.substr(0, end);
    if (line.size() > kLongestLine)
      throw InputError(fmt::format("{}:{}: a line of more than {} bytes: is this a table?", name(), line_ + 1,
                                   kLongestLine));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (end == std::string_view::npos) continue;
    ++line_;
    return true;
  }
}

bool ProfileLines::next(std::vector<std::string>& cells) {
  do {
    if (!next_line(text_)) return false;
  } while (trimmed(text_).empty());
  split_csv(text_, cells);
  for (std::string& cell : cells) cell = trimmed(cell);
  return true;
}

std::string first_bytes(const std::filesystem::path& path, std::size_t most) {
  std::string begin;
  try {
    TextSource source(path);
    for (std::string_view piece = source.piece(); !piece.empty() && begin.size() < most;
         piece = source.piece())
      begin += piece;
  } catch (const InputError&) {
    return {};
  }
  return begin;
}

}  // namespace a3sim
