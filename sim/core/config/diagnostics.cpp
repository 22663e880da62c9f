#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/core/config/config.h"
#include "sim/core/error.h"

namespace a3sim {

namespace {

// Cuts words that are far longer than any key or path, so that a message stays readable.
std::string readable(std::string_view message) {
  constexpr std::size_t kLongestWord = 240, kKept = 80;
  std::string text;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find_first_of(" \n"), message.size());
    if (end <= kLongestWord) {
      text += message.substr(0, end);
    } else {
      std::size_t kept = kKept;  // not within a character
      while (kept > 0 && (static_cast<unsigned char>(message[kept]) & 0xC0U) == 0x80U) --kept;
      text += fmt::format("{}… ({} bytes)", message.substr(0, kept), end);
    }
    if (end < message.size()) text += message[end];
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return text;
}

}  // namespace

std::string Mark::text() const { return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column); }

void Diagnostics::error(const Mark& mark, std::string_view path, std::string_view message) {
  std::string text = path.empty() ? fmt::format("{}: {}", mark.text(), readable(message))
                                  : fmt::format("{}: {}: {}", mark.text(), readable(path), readable(message));
  const auto order = [](const Mark& a, const Mark& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  };
  const auto [first, last] = std::equal_range(marks_.begin(), marks_.end(), mark, order);
  const auto message_at = [&](auto it) { return messages_.begin() + (it - marks_.begin()); };
  if (std::find(message_at(first), message_at(last), text) != message_at(last)) return;
  messages_.insert(message_at(last), std::move(text));
  marks_.insert(last, mark);
}

bool Diagnostics::about(std::string_view path) const {
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    if (messages_[i].starts_with(fmt::format("{}: {}: ", marks_[i].text(), readable(path)))) return true;
  }
  return false;
}

void Diagnostics::throw_if_any() const {
  constexpr std::size_t kMostShown = 50;
  if (messages_.empty()) return;
  const std::span<const std::string> shown(messages_.data(), std::min(messages_.size(), kMostShown));
  const std::size_t more = messages_.size() - shown.size();
  throw InputError(fmt::format("{}{}", fmt::join(shown, "\n"),
                               more == 0 ? "" : fmt::format("\nand {} more errors like these", more)));
}

}  // namespace a3sim
