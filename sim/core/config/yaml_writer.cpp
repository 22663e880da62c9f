#include "sim/core/config/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

using Kind = ConfigValue::Kind;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// True if the text can be written without quotes anywhere in a document.
bool is_plain(const std::string& text) {
  constexpr std::string_view kInside = "_ ./+-()%";
  for (const std::string_view null : {"null", "Null", "NULL"}) {
    if (text == null) return false;
  }
  if (text.empty() || text.back() == ' ' || !(is_word_character(text.front()) || text.front() == '/')) {
    // Only negative numbers may begin with a sign.
    const bool negative = text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
    if (!negative || text.back() == ' ') return false;
  }
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_word_character(c) || kInside.find(c) != std::string_view::npos;
  });
}

std::string scalar(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// True for mappings that are in no file and got no defaults.
bool is_absent(const ConfigValue::Entry& entry) {
  return entry.is_default && entry.value->kind == Kind::kMap &&
         std::all_of(entry.value->entries.begin(), entry.value->entries.end(), is_absent);
}

std::string flow(const ConfigValue& value) {
  std::string text;
  switch (value.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kScalar:
      return scalar(value.text);
    case Kind::kList:
      for (const auto& item : value.items) text += (text.empty() ? "" : ", ") + flow(*item);
      return fmt::format("[{}]", text);
    default:
      for (const ConfigValue::Entry& entry : value.entries) {
        if (is_absent(entry)) continue;
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", scalar(entry.key), flow(*entry.value));
      }
      return fmt::format("{{{}}}", text);
  }
}

bool is_scalar(const std::unique_ptr<ConfigValue>& value) {
  return value->kind == Kind::kScalar || value->kind == Kind::kNull;
}

// True if it is short enough for the line of its key.
bool fits_line(const ConfigValue& value) {
  if (value.kind == Kind::kMap) return value.is_sourced() || value.entries.empty();
  return value.kind != Kind::kList || std::all_of(value.items.begin(), value.items.end(), is_scalar);
}

void block(const ConfigValue& value, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  const auto line = [&](const std::string& head, const ConfigValue& below) {
    const bool inline_value = fits_line(below);
    out += fmt::format("{}{}{}{}\n", margin, head, inline_value ? " " : "", inline_value ? flow(below) : "");
    if (!inline_value) block(below, indent + 2, out);
  };
  for (const auto& item : value.items) line("-", *item);
  for (const ConfigValue::Entry& entry : value.entries) {
    if (!is_absent(entry)) line(scalar(entry.key) + ":", *entry.value);
  }
}

}  // namespace

std::string write_yaml_line(const ConfigValue& value) { return flow(value); }

std::string write_yaml(const ConfigValue& map) {
  std::string out;
  block(map, 0, out);
  return out;
}

}  // namespace a3sim
