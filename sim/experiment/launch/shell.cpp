#include "sim/experiment/launch/shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/experiment/launch/shell_reader.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostWords = 1U << 17U;

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

class ShellReader : ShellWords {
 public:
  using ShellWords::ShellWords;

  ShellScript read() {
    while (!ended()) read_command();
    return std::move(script_);
  }

 private:
  void read_command() {
    ShellCommand command;
    const std::uint32_t begin = here();
    while (!ended()) {
      skip_blanks();
      if (ended() || ends_command(command)) break;
      if (peek() == '#') {
        skip_line();
      } else if ((peek() == '<' || peek() == '>') || starts_with("&>")) {
        read_redirection();
      } else if (takes_assignments(command) && is_assignment()) {
        read_assignment();
      } else {
        read_next_word(command);
      }
      if (words_ > kMostWords) return fail(begin, "more than 131,072 words, expected a launch script");
    }
    finish(std::move(command));
  }

  // Takes what ends a command.
  bool ends_command(ShellCommand& command) {
    const char c = peek();
    if (c == '(' && command.words.size() == 1) {  // a function
      until_closed(at_ + 1, '(', ')');
      command.words.clear();
      ++conditions_;
      return false;
    }
    if (starts_with("((") && command.words.empty()) {
      until_closed(at_ + 1, '(', ')');
      return false;
    }
    if (starts_with("&>") || std::string_view("\n;&|()").find(c) == std::string_view::npos) return false;
    ++at_;
    return true;
  }

  void read_redirection() {
    const bool here_document = starts_with("<<") && !starts_with("<<<");
    while (std::string_view("<>&").find(peek()) != std::string_view::npos && !ended()) ++at_;
    if (here_document && peek() == '-') ++at_;
    skip_blanks();
    std::vector<ShellWord> target;
    if (peek() == '(') {
      until_closed(at_ + 1, '(', ')');
      return;
    }
    read_word(target, Split::kNone);
    if (here_document && !target.empty()) skip_here_document(target.front().text);
  }

  // Blanks out the lines up to the one that ends a here-document.
  void skip_here_document(const std::string& end) {
    std::size_t line = text_.find('\n', at_);
    while (line != std::string::npos && line + 1 < end_) {
      const std::size_t next = std::min(end_, text_.find('\n', line + 1));
      std::string_view text = std::string_view(text_).substr(line + 1, next - line - 1);
      while (text.starts_with('\t')) text.remove_prefix(1);
      const bool last = text == end;
      std::fill(text_.begin() + static_cast<std::ptrdiff_t>(line) + 1,
                text_.begin() + static_cast<std::ptrdiff_t>(next), ' ');
      if (last) return;
      line = next;
    }
  }

  static bool takes_assignments(const ShellCommand& command) {
    return command.words.empty() ||
           is_one_of(command.words.front().text, {"export", "declare", "local", "readonly", "typeset"});
  }

  // True if NAME=, NAME+= or NAME[...]= stands here.
  bool is_assignment() const {
    std::size_t i = at_;
    if (!starts_name(peek())) return false;
    while (i < end_ && (starts_name(text_[i]) || std::isdigit(static_cast<unsigned char>(text_[i])) != 0))
      ++i;
    if (i < end_ && text_[i] == '[') i = std::min(end_, text_.find(']', i)) + 1;
    if (i < end_ && text_[i] == '+') ++i;
    return i < end_ && text_[i] == '=';
  }

  void read_assignment() {
    const std::uint32_t place = here();
    std::string name;
    while (std::string_view("=+[").find(peek()) == std::string_view::npos) name += text_[at_++];
    const bool element = peek() == '[';
    while (peek() != '=' && peek() != '+') ++at_;
    const bool appends = peek() == '+';
    at_ += appends ? 2 : 1;
    ShellVariables::Items items;
    const bool array = peek() == '(';
    if (array)
      read_array(items);
    else
      read_word(items, Split::kNone);
    if (items.empty() && !array) items.emplace_back().place = place;
    for (ShellWord& item : items)
      if (!item.unknown.empty())
        append(item, variables_.unknown(item.place, std::exchange(item.unknown, {})));
    if (conditions_ > 0 || element) return assign_unsure(name, place, items);
    if (appends)
      variables_.append(name, std::move(items), array);
    else
      variables_.set(name, std::move(items));
  }

  void read_array(ShellVariables::Items& items) {
    const std::size_t begin = at_++;
    while (!ended() && peek() != ')') {
      skip_blanks();
      if (peek() == '#')
        skip_line();
      else if (peek() == '\n')
        ++at_;
      else if (peek() != ')') {
        const std::size_t before = at_;
        read_word(items, Split::kFields);
        if (at_ == before) return fail(at_, fmt::format("'{}' in a list of words", peek()));
      }
    }
    if (ended()) return fail(begin, "no ')' ends the list that begins here");
    ++at_;
  }

  // Sets a variable that depends on what is only known when the script runs. Groups of arguments stay as they were: what
  // may be added to them is named.
  void assign_unsure(const std::string& name, std::uint32_t place, const ShellVariables::Items& items) {
    const auto holds_arguments = [](const ShellWord& item) {
      return item.text.find("--") != std::string::npos;
    };
    const std::string what = fmt::format("{} is set under a condition, in a loop or a function", name);
    if (std::ranges::any_of(items, holds_arguments)) {
      script_.gaps.push_back({place, what + ": the arguments that this adds"});
      if (!variables_.find(name)) variables_.set(name, {ShellWord{"", {}, place, ""}});
      return;
    }
    variables_.set(
        name, {variables_.unknown(place, what + fmt::format(" (line {})", script_.mark(file_, place).line))});
  }

  void read_next_word(ShellCommand& command) {
    const std::size_t before = at_;
    const std::size_t words = command.words.size();
    read_word(command.words, Split::kFields);
    if (at_ == before) ++at_;
    words_ += command.words.size() - words + 1;
    if (command.words.size() != words + 1) return;
    const ShellWord& word = command.words.back();
    // The number of what is redirected, as in 2>&1.
    if ((peek() == '>' || peek() == '<') && !word.text.empty() &&
        std::ranges::all_of(word.text, [](unsigned char c) { return std::isdigit(c) != 0; })) {
      command.words.pop_back();
      return;
    }
    if (words == 0) take_reserved(command);
  }

  void take_reserved(ShellCommand& command) {
    const std::string& word = command.words.front().text;
    if (is_one_of(word, {"if", "while", "until", "for", "select", "case"})) {
      ++conditions_;
      if (word == "for" || word == "select" || word == "case") return read_loop_head(command, word != "case");
    } else if (is_one_of(word, {"fi", "done", "esac", "}"})) {
      if (conditions_ > 0) --conditions_;
    } else if (!is_one_of(word, {"then", "else", "elif", "do", "!", "time", "{", "function"})) {
      return;
    }
    command.words.clear();
  }

  // Reads `for NAME in WORDS`, where NAME is not known, or `case WORD in`.
  void read_loop_head(ShellCommand& command, bool loop) {
    command.words.clear();
    skip_blanks();
    std::vector<ShellWord> name;
    const std::uint32_t place = here();
    read_word(name, Split::kNone);
    if (loop && !name.empty())
      variables_.set(name.front().text,
                     {variables_.unknown(place, fmt::format("{} is set in a loop", name.front().text))});
    if (loop) skip_line();
  }

  void finish(ShellCommand command) {
    if (command.words.empty()) return;
    const ShellWord& first = command.words.front();
    if ((first.text == "source" || first.text == ".") && command.words.size() > 1) {
      const std::string& file = command.words[1].text;
      script_.gaps.push_back({first.begin(), fmt::format("the file '{}' that is sourced", file)});
      sourced_ = fmt::format(", and '{}', which it sources, is not followed", file);
    } else if (first.text == "eval") {
      script_.gaps.push_back({first.begin(), "what eval runs"});
    }
    command.conditional = conditions_ > 0;
    script_.commands.push_back(std::move(command));
  }

  int conditions_ = 0;
  std::size_t words_ = 0;
};

}  // namespace

Mark ShellScript::mark(const std::string& file, std::uint32_t place) const {
  const auto after = std::ranges::upper_bound(lines, place);
  const auto line = static_cast<std::uint32_t>(after - lines.begin());
  return {file, line, place - lines[line - 1] + 1};
}

ShellScript read_shell(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  return ShellReader(text, file, diagnostics).read();
}

}  // namespace a3sim
