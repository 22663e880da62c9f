#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/core/config/config.h"
#include "sim/core/error.h"

namespace a3sim {

std::string Mark::text() const { return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column); }

void Diagnostics::error(const Mark& mark, std::string_view path, std::string_view message) {
  std::string text = path.empty() ? fmt::format("{}: {}", mark.text(), message)
                                  : fmt::format("{}: {}: {}", mark.text(), path, message);
  const auto order = [](const Mark& a, const Mark& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  };
  const auto [first, last] = std::equal_range(marks_.begin(), marks_.end(), mark, order);
  const auto message_at = [&](auto it) { return messages_.begin() + (it - marks_.begin()); };
  if (std::find(message_at(first), message_at(last), text) != message_at(last)) return;
  messages_.insert(message_at(last), std::move(text));
  marks_.insert(last, mark);
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
