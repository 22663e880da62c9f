#include "sim/core/config/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "sim/core/config/plain_text.h"

namespace a3sim {
namespace {

// What ends the reading of a document.
struct Refused {
  Mark mark;
  std::string message;
};

// Builds our tree from the parser's events: yaml-cpp's own tree takes the last of two equal keys in silence.
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
  // Of the last thing that was read well.
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
    // The parser takes a bracket for a key too when the document ends before its partner.
    if (wants_key()) refuse(mark, "a mapping or list as a key, or one that is never closed, expected a name");
    if (stack_.size() == kDeepestNesting) {
      refuse(mark, fmt::format("nested too deeply, expected at most {} levels", kDeepestNesting));
    }
    stack_.push_back({.node = place_value(mark, kind), .key = {}, .key_mark = {}});
    stack_.back().node->whole = whole;
  }

  // What a key is written as must fit into the 1,024 characters that YAML has for one on the line of its value.
  std::string checked_key(const YAML::Mark& mark, std::string key) const {
    constexpr std::size_t kLongest = 250;  // of which each may take four characters
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
    // The parser's mark of nothing is wherever it found the next thing.
    if (value->kind == ConfigValue::Kind::kNull) value->mark = level.key_mark;
    const ConfigValue::Entry* const first = level.node->find(level.key);
    if (first == nullptr) {
      level.node->add(level.key, level.key_mark, std::move(value));
      return;
    }
    diagnostics_.error(level.key_mark, path(),
                       fmt::format("duplicate key, expected once; first at line {}", first->key_mark.line));
    ignored_.push_back(std::move(value));  // what is inside is still being read
  }

  // Of the key that is being read.
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
    // "?" and "!" are what the parser gives to plain and quoted text without a tag.
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
