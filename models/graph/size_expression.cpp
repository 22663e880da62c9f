#include "models/graph/size_expression.h"

#include <charconv>
#include <limits>

namespace a3sim {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::int32_t>::max();

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> symbol(std::string_view text, const SizeSymbols& symbols) {
  const auto known = symbols.find(text);
  if (known == symbols.end()) return std::nullopt;
  return known->second;
}

}  // namespace

std::optional<std::uint32_t> evaluate_size(std::string_view text, const SizeSymbols& symbols) {
  const std::size_t star = text.find('*');
  std::optional<std::uint64_t> value;
  if (star == std::string_view::npos) {
    value = number(trimmed(text));
    if (!value) value = symbol(trimmed(text), symbols);
  } else {
    const auto factor = number(trimmed(text.substr(0, star)));
    value = symbol(trimmed(text.substr(star + 1)), symbols);
    if (!factor || !value) return std::nullopt;
    *value *= *factor;
  }
  if (!value || *value > kLargest) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

}  // namespace a3sim
