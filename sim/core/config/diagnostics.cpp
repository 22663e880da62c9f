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
  if (!messages_.empty()) throw InputError(fmt::format("{}", fmt::join(messages_, "\n")));
}

}  // namespace a3sim
