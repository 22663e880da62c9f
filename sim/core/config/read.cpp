#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "sim/core/closest.h"
#include "sim/core/config/quantity.h"
#include "sim/core/config/state.h"

namespace a3sim {
namespace {

using Kind = ConfigValue::Kind;

Parsed<std::string> parse_text(std::string_view text) { return {std::string(text), ""}; }

std::string expected_choice(std::span<const std::string> names) {
  return fmt::format("one of {}", fmt::join(names, ", "));
}

Parsed<std::size_t> parse_choice(std::string_view text, std::span<const std::string> names) {
  const auto it = std::find(names.begin(), names.end(), text);
  if (it != names.end()) return {static_cast<std::size_t>(it - names.begin()), ""};
  const std::string_view near = closest(text, names);
  const std::string hint = near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
  return {0, fmt::format("'{}', expected {}{}", text, expected_choice(names), hint)};
}

std::vector<std::string> strings(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

}  // namespace

// The functions and values for reading one type.
template <class T>
struct Config::Reader {
  std::function<Parsed<T>(std::string_view)> parse;
  std::string expected;
  T harmless{};          // returned if nothing could be read
  bool ordered = false;  // true if a range is possible
};

template <class T>
bool Config::check_range(std::string_view key, const Found& found, const T& value,
                         const Reader<T>& reader) const {
  const ConfigValue::Entry* const range = found.source == nullptr ? nullptr : found.source->find("range");
  if (range == nullptr) return true;
  const std::string range_key = fmt::format("{}.range", key);
  const auto wrong = [&](const Mark& mark, std::string_view message) {
    note(mark, range_key, message);
    return false;
  };
  if (!reader.ordered)
    return wrong(range->value->mark, "a range, expected none for a value that has no order");
  const auto& ends = range->value->items;
  if (ends.size() != 2) return wrong(range->value->mark, "not two values, expected [lowest, highest]");
  T limits[2];
  for (int i = 0; i < 2; ++i) {
    const Parsed<T> end = reader.parse(ends[i]->text);
    if (!end.error.empty()) return wrong(ends[i]->mark, end.error);
    limits[i] = end.value;
  }
  if (limits[1] < limits[0]) {
    return wrong(range->value->mark,
                 fmt::format("'{}' is above '{}', expected [lowest, highest]", ends[0]->text, ends[1]->text));
  }
  if (limits[0] <= value && value <= limits[1]) return true;
  note(found.scalar->mark, key,
       fmt::format("'{}' is outside of its range, expected from {} to {}", found.scalar->text, ends[0]->text,
                   ends[1]->text));
  return false;
}

template <class T>
T Config::read(std::string_view key, const Reader<T>& reader) const {
  const Found found = find(key, reader.expected);
  if (found.scalar == nullptr) return reader.harmless;
  Parsed<T> parsed = reader.parse(found.scalar->text);
  if (!parsed.error.empty()) {
    note(found.scalar->mark, key, parsed.error);
    return reader.harmless;
  }
  return check_range(key, found, parsed.value, reader) ? parsed.value : reader.harmless;
}

std::string Config::text(std::string_view key) const {
  take(key, {.kind = KeyKind::kText, .expected = "a text"});
  return read<std::string>(key, {.parse = parse_text, .expected = "a text"});
}

std::string Config::text(std::string_view key, std::string_view fallback) const {
  take(key, {.kind = KeyKind::kText, .expected = "a text"}, std::string(fallback));
  if (has(key)) return text(key);
  set_default(key, std::string(fallback));
  return std::string(fallback);
}

bool Config::boolean(std::string_view key, bool fallback) const {
  take(key, {.kind = KeyKind::kBoolean, .expected = "true or false"}, fallback ? "true" : "false");
  if (has(key))
    return read<bool>(key, {.parse = parse_boolean, .expected = "true or false", .harmless = fallback});
  set_default(key, fallback ? "true" : "false");
  return fallback;
}

std::int64_t Config::integer(std::string_view key, std::int64_t min, std::int64_t max) const {
  take(key, {.kind = KeyKind::kInteger, .expected = expected_integer(min, max), .least = min, .most = max});
  return read<std::int64_t>(key,
                            {.parse = [&](std::string_view text) { return parse_integer(text, min, max); },
                             .expected = expected_integer(min, max),
                             .harmless = min,
                             .ordered = true});
}

std::int64_t Config::integer(std::string_view key, std::int64_t min, std::int64_t max,
                             std::int64_t fallback) const {
  take(key, {.kind = KeyKind::kInteger, .expected = expected_integer(min, max), .least = min, .most = max},
       std::to_string(fallback));
  if (has(key)) return integer(key, min, max);
  set_default(key, std::to_string(fallback));
  return fallback;
}

double Config::number(std::string_view key, double min, double max) const {
  take(key, {.kind = KeyKind::kNumber, .expected = expected_number(min, max), .low = min, .high = max});
  return read<double>(key, {.parse = [&](std::string_view text) { return parse_number(text, min, max); },
                            .expected = expected_number(min, max),
                            .harmless = std::clamp(1.0, min, max),
                            .ordered = true});
}

double Config::number(std::string_view key, double min, double max, double fallback) const {
  take(key, {.kind = KeyKind::kNumber, .expected = expected_number(min, max), .low = min, .high = max},
       fmt::format("{}", fallback));
  if (has(key)) return number(key, min, max);
  set_default(key, fmt::format("{}", fallback));
  return fallback;
}

std::size_t Config::choice(std::string_view key, std::span<const std::string_view> names) const {
  const std::vector<std::string> known = strings(names);
  take(key, {.kind = KeyKind::kChoice, .expected = expected_choice(known), .names = known});
  return read<std::size_t>(key, {.parse = [&](std::string_view text) { return parse_choice(text, known); },
                                 .expected = expected_choice(known)});
}

std::size_t Config::choice(std::string_view key, std::span<const std::string_view> names,
                           std::string_view fallback) const {
  const std::vector<std::string> known = strings(names);
  take(key, {.kind = KeyKind::kChoice, .expected = expected_choice(known), .names = known},
       std::string(fallback));
  if (has(key)) return choice(key, names);
  set_default(key, std::string(fallback));
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), fallback) - names.begin());
}

std::optional<std::string> Config::name(std::string_view key, std::string_view kind,
                                        std::span<const std::string> known,
                                        std::optional<std::string_view> fallback) const {
  const std::vector<std::string> names(known.begin(), known.end());
  take(key, {.kind = KeyKind::kChoice, .expected = expected_choice(names), .names = names},
       fallback ? std::optional<std::string>(*fallback) : std::nullopt);
  if (!has(key) && fallback) {
    set_default(key, std::string(*fallback));
    return std::string(*fallback);
  }
  std::string given =
      read<std::string>(key, {.parse = parse_text, .expected = fmt::format("the name of a {}", kind)});
  if (const ConfigValue* const value = present(key);
      given.empty() && (value == nullptr || value->kind != Kind::kScalar))
    return std::nullopt;  // noted
  if (std::ranges::find(names, given) != names.end()) return given;
  const std::string_view near = closest(given, names);
  error(key, fmt::format("unknown {} '{}'; known: {}{}", kind, given, fmt::join(names, ", "),
                         near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  return std::nullopt;
}

std::vector<std::string> Config::texts(std::string_view key) const {
  std::vector<std::string> result;
  take(key, {.kind = KeyKind::kTexts, .expected = "a list of texts"});
  const ConfigValue* const list = present(key);
  if (list == nullptr) return result;
  if (list->kind != Kind::kList) error(key, fmt::format("{}, expected a list", list->description()));
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const ConfigValue& item = *list->items[i];
    result.push_back(item.text);
    if (item.kind == Kind::kScalar) continue;
    // `a ? b : c` without quotes is a mapping to YAML.
    const char* const hint =
        item.kind == Kind::kMap ? R"(; with ': ' in it, it must be quoted: "a ? b : c")" : "";
    note(item.mark, fmt::format("{}.{}", key, i),
         fmt::format("{}, expected a text{}", item.description(), hint));
  }
  return result;
}

std::filesystem::path Config::file(std::string_view key) const {
  take(key, {.kind = KeyKind::kPath, .expected = "a path"});
  const Found found = find(key, "a path");
  if (found.scalar == nullptr) return {};
  const std::string& origin = found.scalar->mark.file;
  if (origin == kOverrideFile) return found.scalar->text;
  return (std::filesystem::path(origin).parent_path() / found.scalar->text).lexically_normal();
}

std::int64_t Config::quantity(std::string_view key, QuantityKind kind, bool allow_zero) const {
  take(key,
       {.kind = KeyKind::kQuantity, .expected = expected_quantity(kind), .pattern = quantity_pattern(kind)});
  const auto parse = [&](std::string_view text) {
    Parsed<std::int64_t> parsed = parse_quantity(text, kind);
    if (!allow_zero && parsed.error.empty() && parsed.value == 0) {
      parsed.error = fmt::format("'{}' is zero, expected {}", text, expected_quantity(kind));
    }
    return parsed;
  };
  return read<std::int64_t>(
      key,
      {.parse = parse, .expected = expected_quantity(kind), .harmless = allow_zero ? 0 : 1, .ordered = true});
}

Bytes Config::bytes(std::string_view key) const { return {quantity(key, QuantityKind::kBytes, false)}; }
BytesPerSecond Config::rate(std::string_view key) const {
  return {quantity(key, QuantityKind::kRate, false)};
}
Hertz Config::frequency(std::string_view key) const {
  return {quantity(key, QuantityKind::kFrequency, false)};
}
Duration Config::duration(std::string_view key, bool allow_zero) const {
  return Duration(quantity(key, QuantityKind::kDuration, allow_zero));
}

double Config::per_cycle(std::string_view key, std::string_view unit) const {
  take(key, {.kind = KeyKind::kQuantity,
             .expected = expected_per_cycle(unit),
             .pattern = fmt::format("^{} *{}/cycle$", kNumberPattern, unit)});
  return read<double>(key, {.parse = [&](std::string_view text) { return parse_per_cycle(text, unit); },
                            .expected = expected_per_cycle(unit),
                            .harmless = 1,
                            .ordered = true});
}

double Config::per_cycle_or_none(std::string_view key, std::string_view unit) const {
  const std::string expected = expected_per_cycle(unit) + ", or none";
  take(key, {.kind = KeyKind::kQuantity,
             .expected = expected,
             .pattern = fmt::format("^(none|{} *{}/cycle)$", kNumberPattern, unit)});
  const auto parse = [&](std::string_view text) {
    return text == "none" ? Parsed<double>{0.0, ""} : parse_per_cycle(text, unit);
  };
  return read<double>(key, {.parse = parse, .expected = expected, .harmless = 1, .ordered = true});
}

}  // namespace a3sim
