#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/experiment/launch/arithmetic.h"
#include "sim/experiment/launch/shell_reader.h"

namespace a3sim {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;
constexpr std::size_t kMostExpanded = std::size_t{16} << 20;
constexpr int kDeepest = 32;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_word(char c) {
  return c == '\0' || is_blank(c) || std::string_view("\n;&|()<>").find(c) != std::string_view::npos;
}
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_carriage_returns(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  return out;
}

}  // namespace

// The fields of the word that is being read.
struct ShellWords::Fields {
  std::vector<ShellWord>& done;
  Split split;
  ShellWord now;
  bool begun = false;  // also an empty word, as "" makes one

  void add(const ShellWord& more) {
    append(now, more);
    begun = true;
  }
  void end(const ShellVariables& variables) {
    if (begun) {
      if (split == Split::kFields)
        variables.settle(now);  // values of variables are settled where they are used
      done.push_back(std::move(now));
    }
    now = {};
    begun = false;
  }
};

ShellWords::ShellWords(std::string_view text, std::string file, Diagnostics& diagnostics)
    : text_(without_carriage_returns(text)), file_(std::move(file)), diagnostics_(diagnostics) {
  end_ = text_.size();
  script_.lines.push_back(0);
  if (text_.size() > kLargest)
    fail(0, fmt::format("larger than {} KiB, expected a launch script", kLargest >> 10));
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') script_.lines.push_back(static_cast<std::uint32_t>(i + 1));
  const auto odd = std::ranges::find_if(
      text_, [](char c) { return c == '\0' || c == kUnknownPart || c == '\xFE' || c == '\xFF'; });
  if (odd != text_.end())
    fail(static_cast<std::size_t>(odd - text_.begin()),
         "a byte that no text has, expected a shell script in UTF-8");
}

void ShellWords::fail(std::size_t place, const std::string& message) {
  if (!failed_) diagnostics_.error(script_.mark(file_, static_cast<std::uint32_t>(place)), "", message);
  failed_ = true;
  at_ = end_;
}

void ShellWords::skip_blanks() {
  for (;; ++at_) {
    if (is_blank(peek())) continue;
    if (peek() != '\\' || peek(1) != '\n') return;
    ++at_;
  }
}

void ShellWords::skip_line() { at_ = std::min(end_, text_.find('\n', at_)); }

std::string_view ShellWords::until_closed(std::size_t begin, char open, char close) {
  int depth = 1;
  char quote = '\0';
  for (std::size_t i = begin; i < end_; ++i) {
    const char c = text_[i];
    if (c == '\\' && quote != '\'') {
      ++i;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '\'' || c == '"') && c != close) {
      quote = c;
    } else if (c == close && --depth == 0) {
      at_ = i + 1;
      return std::string_view(text_).substr(begin, i - begin);
    } else if (c == open && open != close) {
      ++depth;
    }
  }
  fail(begin, fmt::format("no '{}' ends what begins here", close));
  return {};
}

void ShellWords::read_word(std::vector<ShellWord>& fields, Split split) {
  Fields word{fields, split, {}};
  word.now.place = here();
  while (!ended() && !ends_word(peek())) {
    const char c = peek();
    if (c == '\\') {
      if (peek(1) != '\n' && at_ + 1 < end_) {
        append(word.now, peek(1), here() + 1);
        word.begun = true;
      }
      at_ = std::min(end_, at_ + 2);
    } else if (c == '"') {
      read_double_quotes(word);
    } else if (c == '\'') {
      read_single_quotes(word);
    } else if (c == '$') {
      read_dollar(word, false);
    } else if (c == '`') {
      const std::uint32_t place = here();
      until_closed(at_ + 1, '`', '`');
      word.add(variables_.unknown(place, "the output of a command, which is not run"));
    } else {
      append(word.now, c, here());
      word.begun = true;
      ++at_;
    }
  }
  word.end(variables_);
}

void ShellWords::read_single_quotes(Fields& fields) {
  const std::size_t begin = at_ + 1, end = text_.find('\'', begin);
  if (end >= end_) return fail(at_, "a quote that does not end");
  fields.begun = true;
  for (at_ = begin; at_ < end; ++at_) append(fields.now, text_[at_], here());
  ++at_;
}

void ShellWords::read_double_quotes(Fields& fields) {
  const std::size_t begin = at_++;
  fields.begun = true;
  while (!ended() && peek() != '"') {
    if (peek() == '\\') {
      if (peek(1) == '\n') {
        at_ += 2;
        continue;
      }
      if (std::string_view("\"\\$`").find(peek(1)) != std::string_view::npos) ++at_;
    } else if (peek() == '$') {
      read_dollar(fields, true);
      continue;
    } else if (peek() == '`') {
      const std::uint32_t place = here();
      until_closed(at_ + 1, '`', '`');
      fields.add(variables_.unknown(place, "the output of a command, which is not run"));
      continue;
    }
    if (ended()) break;
    append(fields.now, peek(), here());
    ++at_;
  }
  if (ended()) return fail(begin, "a quote that does not end");
  ++at_;
}

void ShellWords::read_dollar(Fields& fields, bool quoted) {
  const std::uint32_t place = here();
  ++at_;
  if (peek() == '\'' && !quoted) return read_single_quotes(fields);
  if (peek() == '{') return read_braces(fields, quoted, place);
  if (starts_with("((")) return read_arithmetic(fields, quoted, place);
  if (peek() == '(') {
    until_closed(at_ + 1, '(', ')');
    return fields.add(variables_.unknown(place, "the output of a command, which is not run"));
  }
  if (!in_name(peek())) {
    constexpr std::string_view kSpecial = "@*#?$!-";
    if (kSpecial.find(peek()) == std::string_view::npos || ended()) {
      append(fields.now, '$', place);
      fields.begun = true;
      return;
    }
    const std::string name(1, peek());
    ++at_;
    return fields.add(variables_.unknown(place, fmt::format("${} is only known when the script runs", name)));
  }
  std::string name(1, peek());
  ++at_;
  if (std::isdigit(static_cast<unsigned char>(name.front())) == 0)
    while (in_name(peek())) name += text_[at_++];
  add_variable(fields, name, quoted, place);
}

ShellVariables::Items ShellWords::value_of(const std::string& name, std::uint32_t place) {
  if (const auto* const items = variables_.find(name)) {
    for (const ShellWord& item : *items) expanded_ += item.text.size();
    if (expanded_ > kMostExpanded) {
      fail(place, fmt::format("variables expand to more than {} MiB, expected a script of arguments",
                              kMostExpanded >> 20));
      return {};
    }
    return *items;
  }
  const bool argument = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
  return {variables_.unknown(place, argument ? fmt::format("${}, an argument of the script", name)
                                             : fmt::format("{} is not set in the script{}", name, sourced_))};
}

void ShellWords::add_variable(Fields& fields, const std::string& name, bool quoted, std::uint32_t place) {
  const bool splits = !quoted && fields.split == Split::kFields;
  const ShellVariables::Items items = value_of(name, place);
  if (!items.empty() && !splits) return fields.add(items.front());
  if (!items.empty()) add_fields(fields, items.front());
}

// Appends a value that is split into fields where it has blanks.
void ShellWords::add_fields(Fields& fields, const ShellWord& value) {
  for (std::size_t i = 0; i < value.text.size(); ++i) {
    if (is_blank(value.text[i]) || value.text[i] == '\n') {
      fields.end(variables_);
      continue;
    }
    append(fields.now, value.text[i], value.places[i]);
    fields.begun = true;
  }
}

ShellWord ShellWords::expanded(std::size_t begin, std::size_t end) {
  ShellWord all;
  if (++depth_ > kDeepest) {
    fail(begin, "more than 32 expansions in one another");
    return all;
  }
  const std::size_t back = at_, last = end_;
  end_ = end;
  at_ = begin;
  while (!ended()) {
    std::vector<ShellWord> parts;
    Fields fields{parts, Split::kNone, {}};
    const std::size_t before = at_;
    if (peek() == '$')
      read_dollar(fields, true);
    else if (peek() == '"')
      read_double_quotes(fields);
    else if (peek() == '\'')
      read_single_quotes(fields);
    else
      append(fields.now, text_[at_], here()), ++at_;
    append(all, fields.now);
    if (at_ <= before) break;
  }
  end_ = last;
  at_ = failed_ ? end_ : back;
  --depth_;
  return all;
}

void ShellWords::read_braces(Fields& fields, bool quoted, std::uint32_t place) {
  const std::size_t begin = at_ + 1;
  const std::string_view inside = until_closed(begin, '{', '}');
  if (ended() && inside.empty()) return;
  const auto stop = std::ranges::find_if_not(inside, in_name);
  const std::string name(inside.begin(), stop);
  const std::string_view rest = inside.substr(name.size());
  const std::size_t end = begin + inside.size();
  if (name.empty() || rest.starts_with('%') || rest.starts_with('#') || rest.starts_with('/') ||
      rest.starts_with('^') || rest.starts_with(','))
    return fields.add(variables_.unknown(place, fmt::format("'${{{}}}' is not followed", inside)));
  if (rest.empty()) return add_variable(fields, name, quoted, place);
  if (rest == "[@]" || rest == "[*]") {
    bool first = true;
    for (const ShellWord& item : value_of(name, place)) {
      if (!first && fields.split == Split::kFields) fields.end(variables_);
      if (!first && fields.split == Split::kNone) append(fields.now, ' ', place);
      first = false;
      fields.add(item);
    }
    return;
  }
  const std::size_t sign = rest.starts_with(':') ? 1 : 0;
  const char operation = sign < rest.size() ? rest[sign] : '\0';
  const auto* const items = variables_.find(name);
  const bool set = items != nullptr && (sign == 0 || (!items->empty() && !items->front().text.empty()));
  if (operation == '-' || operation == '=') {
    if (set) return add_variable(fields, name, quoted, place);
    const ShellWord value = expanded(begin + name.size() + sign + 1, end);
    if (operation == '=') variables_.set(name, {value});
    return quoted || fields.split == Split::kNone ? fields.add(value) : add_fields(fields, value);
  }
  if (operation == '?' && set) return add_variable(fields, name, quoted, place);
  if (operation == '+') {
    if (set) fields.add(expanded(begin + name.size() + sign + 1, end));
    return;
  }
  fields.add(variables_.unknown(place, fmt::format("'${{{}}}' is not followed", inside)));
}

void ShellWords::read_arithmetic(Fields& fields, bool quoted, std::uint32_t place) {
  const std::size_t begin = at_ + 2;
  const std::string inside(until_closed(begin, '(', ')'));
  static_cast<void>(quoted);
  if (ended() && inside.empty()) return;
  if (peek() != ')') return fail(place, "no '))' ends the arithmetic that begins here");
  ++at_;
  std::vector<ShellWord> value;
  std::string expression;
  ShellWord text = expanded(begin, begin + inside.size());
  // Names without `$` are variables, too.
  for (std::size_t i = 0; i < text.text.size();) {
    if (!in_name(text.text[i]) || std::isdigit(static_cast<unsigned char>(text.text[i])) != 0) {
      expression += text.text[i++];
      continue;
    }
    std::string name;
    while (i < text.text.size() && in_name(text.text[i])) name += text.text[i++];
    for (const ShellWord& item : value_of(name, place)) expression += item.text;
  }
  if (expression.find(kUnknownPart) != std::string::npos) {
    variables_.settle(text);
    return fields.add(variables_.unknown(
        place, text.unknown.empty() ? "arithmetic with what the script does not set" : text.unknown));
  }
  const ArithmeticValue result = arithmetic(expression);
  if (!result.error.empty()) return fail(place, fmt::format("$(({})): {}", inside, result.error));
  for (const char c : fmt::format("{}", result.value)) append(fields.now, c, place);
  fields.begun = true;
}

}  // namespace a3sim
