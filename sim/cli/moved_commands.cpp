#include "sim/cli/moved_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

namespace a3sim {
namespace {

// `now` contains {} for all words after the old command, or {first} and {rest} for them. An option at the end
// of `now` is omitted if it is among the words. `left_out` is an option that is no longer needed; with
// `with_value`, the word after it is dropped too.
struct MovedCommand {
  std::string_view old, now, left_out;
  bool with_value = false;
};

constexpr MovedCommand kMoved[] = {
    {"batches", "run {} --batches", "", false},
    {"compile", "schedule compile {}", "", false},
    {"config explain", "config {}", "", false},
    {"diff", "schedule diff {}", "", false},
    {"export ascend", "export {} --to ascend", "", false},
    {"export html", "export {} --to html", "", false},
    {"export perfetto", "export {} --to perfetto", "", false},
    {"init", "config init {}", "", false},
    {"jitter", "try {rest} --spread --config {first}", "--order", false},
    {"merge", "sweep --db {first} --merge {rest}", "", false},
    {"monitor", "run {} --steps 60", "", false},
    {"order export", "schedule order {}", "", false},
    {"order", "schedule order {}", "", false},
    {"report", "export {} --to html", "", false},
    {"schema", "config schema {}", "", false},
    {"score", "advise {} --score", "", false},
    {"show", "schedule show {}", "", false},
    {"view", "export {} --to html -o page.html", "--port", true},
    {"whatif", "explain {} --whatif", "", false},
};

std::vector<std::string> split(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Quotes text so that a shell takes it as one word.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,@%+-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

std::vector<std::string> kept_words(const MovedCommand& moved, std::span<const std::string> words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!moved.left_out.empty() && words[i] == moved.left_out)
      i += moved.with_value ? 1 : 0;
    else
      kept.push_back(quoted(words[i]));
  }
  return kept;
}

std::string line(const MovedCommand& moved, const std::vector<std::string>& words) {
  std::string text = "a3sim";
  for (const std::string& part : split(moved.now)) {
    const bool is_option = part.starts_with("--") && std::ranges::find(words, part) != words.end();
    if (part == "{}") {
      for (const std::string& word : words) text += ' ' + word;
    } else if (part == "{first}") {
      text += ' ' + (words.empty() ? "FILE" : words.front());
    } else if (part == "{rest}") {
      for (std::size_t i = 1; i < words.size(); ++i) text += ' ' + words[i];
    } else if (is_option) {
      break;  // it is already there, with its value
    } else {
      text += ' ' + part;
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> moved_command(std::span<const std::string> words) {
  for (const MovedCommand& moved : kMoved) {
    const std::vector<std::string> old = split(moved.old);
    if (words.size() < old.size() || !std::equal(old.begin(), old.end(), words.begin())) continue;
    // A format may be the name of a result: then options follow it.
    const bool is_format = moved.old.starts_with("export ");
    if (is_format && (words.size() == old.size() || words[old.size()].starts_with('-'))) continue;
    return line(moved, kept_words(moved, words.subspan(old.size())));
  }
  return std::nullopt;
}

}  // namespace a3sim
