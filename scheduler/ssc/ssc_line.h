#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/ssc/ssc_fields.h"
#include "sim/core/error.h"

namespace a3sim::ssc_text {

// Parses one line field by field. Every failure is an InputError with name:line.
class Line {
 public:
  // `queues` are the names of the schedule's queues.
  Line(std::string_view text, const std::string& name, std::size_t number,
       std::span<const std::string> queues = {})
      : rest_(text), name_(name), number_(number), queues_(queues) {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(
        fmt::format("{}:{}: {}", name_, number_, fmt::format(format, std::forward<Args>(args)...)));
  }

  // Returns whether only a comment or nothing is left.
  bool done() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    return rest_.empty() || rest_.front() == '#';
  }

  std::string_view word(const char* field) {
    if (done()) fail("{} is missing", field);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r#"));
    rest_.remove_prefix(word.size());
    return word;
  }

  void finish() {
    if (!done()) fail("nothing more expected, '{}' found", word("end"));
  }

  template <class T>
  void number(const char* field, T& value) {
    value = parse<T>(field, word(field));
  }

  template <class T>
  void optional(const char* field, T& value, T none) {
    const std::string_view text = word(field);
    value = text == "-" ? none : parse<T>(field, text);
  }

  template <class Enum, class T>
  void choice(const char* field, T& value) {
    const std::string_view text = word(field);
    constexpr std::span<const std::string_view> kNames = kNamesOf<Enum>;
    const auto found = std::ranges::find(kNames, text);
    if (found == kNames.end()) {
      fail("{}: one of {} expected, '{}' found", field, fmt::join(kNames, ", "), text);
    }
    value = static_cast<T>(found - kNames.begin());
  }

  template <class T>
  void queue(const char* field, T& value) {
    const std::string_view text = word(field);
    const auto found = std::ranges::find(queues_, text);
    if (found == queues_.end())
      fail("{}: one of {} expected, '{}' found", field, fmt::join(queues_, ", "), text);
    value = static_cast<T>(found - queues_.begin());
  }

  void flag(const char* field, bool& value) {
    const std::string_view text = word(field);
    if (text != "yes" && text != "no") fail("{}: yes or no expected, '{}' found", field, text);
    value = text == "yes";
  }

  void ids(const char* field, std::vector<TensorId>& ids) {
    std::string_view text = word(field);
    if (text == "-") return;
    while (true) {
      const std::size_t comma = text.find(',');
      ids.push_back(TensorId{parse<std::uint32_t>(field, text.substr(0, comma))});
      if (comma == std::string_view::npos) return;
      text.remove_prefix(comma + 1);
    }
  }

  void text(const char* field, std::string& value) {
    if (done() || rest_.front() != '"') fail("{}: a text in quotes expected", field);
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != '"') value += character(field);
    if (rest_.empty()) fail("{}: the quotes are not closed", field);
    rest_.remove_prefix(1);
  }

 private:
  char character(const char* field) {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c != '\\') return c;
    if (rest_.starts_with('"') || rest_.starts_with('\\')) {
      const char escaped = rest_.front();
      rest_.remove_prefix(1);
      return escaped;
    }
    unsigned byte = 0;
    const std::string_view digits = rest_.substr(0, 3);
    const char* end = digits.data() + digits.size();
    if (digits.size() < 3 || digits[0] != 'x' ||
        std::from_chars(digits.data() + 1, end, byte, 16).ptr != end) {
      fail("{}: \\\", \\\\ or \\xHH expected behind a backslash", field);
    }
    rest_.remove_prefix(digits.size());
    return static_cast<char>(byte);
  }

  template <class T>
  T parse(const char* field, std::string_view text) const {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
      fail("{}: {} is above {}", field, text, std::numeric_limits<T>::max());
    }
    if (error != std::errc{} || end != text.data() + text.size()) {
      fail("{}: a whole number expected, '{}' found", field, text);
    }
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
  std::size_t number_;
  std::span<const std::string> queues_;
};

}  // namespace a3sim::ssc_text
