#include "sim/core/config/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace a3sim {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

unsigned char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Returns the length of the well-formed UTF-8 character at `i`, or 0 (Unicode 15, table 3-7).
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

// True if only blanks precede the tab on its line.
bool is_indenting_tab(std::string_view text, std::size_t i) {
  if (text[i] != '\t') return false;
  const std::size_t line = text.rfind('\n', i) + 1;  // npos + 1 is 0
  return text.find_first_not_of(" \t", line) > i;
}

// Returns what is wrong with the character at `i`, or an empty string.
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

// Prepares a file's bytes for the YAML parser: removes a byte order mark, makes lines end in \n, and adds a
// comment as the last line. `start` is the place of the first byte. Notes an error and returns nullopt if the
// bytes are not UTF-8 or contain control characters (a binary file) or a tab in the indentation.
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
  // yaml-cpp 0.7 accepts an unclosed quote if the text ends with a newline. It detects the error if the last
  // line is a comment.
  text += text.ends_with('\n') ? "#" : "\n#";
  return text;
}

// Converts a scalar to UTF-8: yaml-cpp returns the escapes \N and \_ as one byte of Latin-1.
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

// Thrown to end the reading of a document.
struct Refused {
  Mark mark;
  std::string message;
};

// Builds our tree from the parser's events. yaml-cpp's own tree silently takes the last of two equal keys.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Mark& start, Diagnostics& diagnostics)
      : start_(start),
        diagnostics_(diagnostics),
        root_(std::make_unique<ConfigValue>()),
        last_line_(start.line) {
    root_->mark = start;
  }

  std::unique_ptr<ConfigValue> take() { return std::move(root_); }
  // The line of the last valid event.
  std::uint32_t last_line() const { return last_line_; }

  Mark place(const YAML::Mark& mark) const {
    if (mark.is_null()) return start_;
    const auto line = static_cast<std::uint32_t>(mark.line), column = static_cast<std::uint32_t>(mark.column);
    return {start_.file, start_.line + line, (line == 0 ? start_.column : 1) + column};
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      refuse(mark, "what stands here does not belong to the document before it, expected one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (wants_key()) refuse(mark, "an empty key, expected a name");
    place_value(mark, ConfigValue::Kind::kNull);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark,
           "aliases (*name) are not supported, expected the value itself; shared values go into an included "
           "file");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (wants_key()) return start_entry(mark, checked_key(mark, as_utf8(value)));
    place_value(mark, ConfigValue::Kind::kScalar)->text = as_utf8(value);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ConfigValue::Kind::kList);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ConfigValue::Kind::kMap);
  }
  void OnSequenceEnd() override { stack_.pop_back(); }
  void OnMapEnd() override { stack_.pop_back(); }

 private:
  struct Level {
    ConfigValue* node;
    std::string key;
    Mark key_mark;
    bool has_key = false;
  };

  bool wants_key() const {
    return !stack_.empty() && stack_.back().node->kind == ConfigValue::Kind::kMap && !stack_.back().has_key;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, ConfigValue::Kind kind) {
    refuse_anchor(mark, anchor);
    const bool whole = tag == "!override" && kind == ConfigValue::Kind::kMap;
    if (!whole) refuse_tag(mark, tag);
    // The parser also treats a bracket as a key if the document ends before its partner.
    if (wants_key()) refuse(mark, "a mapping or list as a key, or one that is never closed, expected a name");
    if (stack_.size() == kDeepestNesting) {
      refuse(mark, fmt::format("nested too deeply, expected at most {} levels", kDeepestNesting));
    }
    stack_.push_back({.node = place_value(mark, kind), .key = {}, .key_mark = {}});
    stack_.back().node->whole = whole;
  }

  // YAML limits a key on the line of its value to 1,024 characters.
  std::string checked_key(const YAML::Mark& mark, std::string key) const {
    constexpr std::size_t kLongest = 250;  // each character may take four in the file
    if (key.size() > kLongest)
      refuse(mark, fmt::format("a key of {} bytes, expected at most {}", key.size(), kLongest));
    return key;
  }

  void start_entry(const YAML::Mark& mark, const std::string& key) {
    Level& level = stack_.back();
    level.has_key = true;
    level.key = key;
    level.key_mark = place(mark);
    last_line_ = level.key_mark.line;
  }

  ConfigValue* place_value(const YAML::Mark& mark, ConfigValue::Kind kind) {
    auto value = std::make_unique<ConfigValue>();
    value->kind = kind;
    value->mark = place(mark);
    last_line_ = value->mark.line;
    ConfigValue* const node = value.get();
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (stack_.back().node->kind == ConfigValue::Kind::kList) {
      stack_.back().node->items.push_back(std::move(value));
    } else {
      add_entry(stack_.back(), std::move(value));
    }
    return node;
  }

  void add_entry(Level& level, std::unique_ptr<ConfigValue> value) {
    level.has_key = false;
    // The parser's mark of an empty value is that of the next event.
    if (value->kind == ConfigValue::Kind::kNull) value->mark = level.key_mark;
    const ConfigValue::Entry* const first = level.node->find(level.key);
    if (first == nullptr) {
      level.node->add(level.key, level.key_mark, std::move(value));
      return;
    }
    diagnostics_.error(level.key_mark, path(),
                       fmt::format("duplicate key, expected once; first at line {}", first->key_mark.line));
    ignored_.push_back(std::move(value));  // its contents are still being read
  }

  // Returns the path of the current key.
  std::string path() const {
    std::string text;
    for (const Level& level : stack_) {
      const bool in_list = level.node->kind == ConfigValue::Kind::kList;
      const std::string name = in_list ? std::to_string(level.node->items.size() - 1) : level.key;
      text += (text.empty() ? "" : ".") + name;
    }
    return text;
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) {
      refuse(mark, "anchors (&name) are not supported, expected the value itself");
    }
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    // The parser gives the tags "?" and "!" to plain and quoted text without a tag.
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark, fmt::format("tags ({}) are not supported, expected the value itself", tag));
    }
  }
  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) const {
    throw Refused{place(mark), std::move(message)};
  }

  Mark start_;
  Diagnostics& diagnostics_;
  std::unique_ptr<ConfigValue> root_;
  std::vector<Level> stack_;
  std::vector<std::unique_ptr<ConfigValue>> ignored_;
  std::uint32_t last_line_ = 0;
  int documents_ = 0;
};

}  // namespace

std::unique_ptr<ConfigValue> read_yaml(std::string_view text, const Mark& start, Diagnostics& diagnostics) {
  const std::optional<std::string> plain = plain_text(text, start, diagnostics);
  if (!plain) return nullptr;
  TreeBuilder builder(start, diagnostics);
  try {
    std::istringstream stream(*plain);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const Refused& refused) {
    diagnostics.error(refused.mark, "", refused.message);
  } catch (const YAML::Exception& broken) {
    // In a list, ` ? ` begins a key.
    const char* const hint =
        broken.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW && plain->find(" ? ") != std::string::npos
            ? R"(; a value with ? and : in it must be quoted, "a ? b : c")"
            : "";
    diagnostics.error(builder.place(broken.mark), "",
                      fmt::format("broken YAML: {}; it was readable up to line {}{}", broken.msg,
                                  builder.last_line(), hint));
  }
  return nullptr;
}

}  // namespace a3sim
