#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/launch/shell_variables.h"

namespace a3sim {

// Reads words of a script, with quotes and expansions (shell_words.cpp). Commands are read on top of it (shell.cpp).
class ShellWords {
 public:
  ShellWords(std::string_view text, std::string file, Diagnostics& diagnostics);

 protected:
  // How a word is put together: fields of a command are split where a value has blanks, values of variables are not.
  enum class Split : std::uint8_t { kFields, kNone };

  char peek(std::size_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }
  bool starts_with(std::string_view word) const {
    return std::string_view(text_).substr(at_, end_ - at_).starts_with(word);
  }
  bool ended() const { return at_ >= end_; }
  std::uint32_t here() const { return static_cast<std::uint32_t>(at_); }
  // Notes an error and ends the reading.
  void fail(std::size_t place, const std::string& message);
  void skip_blanks();
  void skip_line();

  // Reads one word as the shell does, and appends its fields.
  void read_word(std::vector<ShellWord>& fields, Split split);
  // Returns the text up to the bracket or quote that ends what was begun at `begin`.
  std::string_view until_closed(std::size_t begin, char open, char close);

  std::string text_, file_;
  std::size_t at_ = 0, end_ = 0;  // what is read now
  ShellScript script_;
  ShellVariables variables_;
  std::string sourced_;  // what a file that is not followed may have set; empty if there is none

 private:
  struct Fields;

  void read_double_quotes(Fields& fields);
  void read_single_quotes(Fields& fields);
  void read_dollar(Fields& fields, bool quoted);
  void read_braces(Fields& fields, bool quoted, std::uint32_t place);
  void read_arithmetic(Fields& fields, bool quoted, std::uint32_t place);
  void add_variable(Fields& fields, const std::string& name, bool quoted, std::uint32_t place);
  void add_fields(Fields& fields, const ShellWord& value);
  ShellVariables::Items value_of(const std::string& name, std::uint32_t place);
  // Returns a part of the script that stands by itself, as a default of a variable, after expansion.
  ShellWord expanded(std::size_t begin, std::size_t end);

  Diagnostics& diagnostics_;
  std::size_t expanded_ = 0;  // characters so far
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace a3sim
