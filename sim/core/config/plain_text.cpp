#include "sim/core/config/plain_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

unsigned char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// The length of the well-formed UTF-8 character at `i`, or 0 (Unicode 15, table 3-7).
std::size_t character_length(std::string_view text, std::size_t i) {
  const unsigned char first = byte_at(text, i), second = byte_at(text, i + 1);
  const auto continues = [&](std::size_t n) { return (byte_at(text, i + n) & 0xC0) == 0x80; };
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) return continues(1) ? 2 : 0;
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool no_character = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  if (overlong || no_character || !continues(1) || !continues(2)) return 0;
  if (first < 0xF0) return 3;
  return continues(3) ? 4 : 0;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

// A tab with nothing but blanks before it on its line.
bool is_indenting_tab(std::string_view text, std::size_t i) {
  if (text[i] != '\t') return false;
  const std::size_t line = text.rfind('\n', i) + 1;  // npos + 1 is 0
  return text.find_first_not_of(" \t", line) > i;
}

// What is wrong with the character at `i`; empty if nothing.
std::string fault(std::string_view text, std::size_t i) {
  if (character_length(text, i) == 0) return "not UTF-8, expected a text file";
  if (is_control(text[i])) {
    return fmt::format("control character 0x{:02x}, expected a text file", byte_at(text, i));
  }
  if (is_indenting_tab(text, i)) return "a tab in the indentation, expected spaces";
  return "";
}

Mark place(std::string_view text, std::size_t i, const Mark& start) {
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + i, '\n'));
  const std::size_t line_start = text.substr(0, i).rfind('\n') + 1;
  const std::uint32_t column = (lines == 0 ? start.column : 1) + static_cast<std::uint32_t>(i - line_start);
  return {start.file, start.line + lines, column};
}

}  // namespace

std::optional<std::string> plain_text(std::string_view bytes, const Mark& start, Diagnostics& diagnostics) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  std::string text;
  text.reserve(bytes.size() + 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '\r' || byte_at(bytes, i + 1) != '\n') text += bytes[i];
  }
  for (std::size_t i = 0; i < text.size(); i += character_length(text, i)) {
    if (std::string wrong = fault(text, i); !wrong.empty()) {
      diagnostics.error(place(text, i, start), "", wrong);
      return std::nullopt;
    }
  }
  // yaml-cpp 0.7 takes a quote that is never closed for closed if the text ends with a line end; with a
  // comment as the last line it finds out.
  text += text.ends_with('\n') ? "#" : "\n#";
  return text;
}

std::string as_utf8(std::string_view scalar) {
  std::string text;
  for (std::size_t i = 0; i < scalar.size();) {
    const std::size_t length = character_length(scalar, i);
    if (length > 0) {
      text += scalar.substr(i, length);
    } else {
      text += static_cast<char>(0xC0 | byte_at(scalar, i) >> 6);
      text += static_cast<char>(0x80 | (byte_at(scalar, i) & 0x3F));
    }
    i += std::max<std::size_t>(1, length);
  }
  return text;
}

}  // namespace a3sim
