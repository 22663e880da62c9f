#include "sim/core/config/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "sim/core/config/decimal.h"

namespace a3sim {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t base;  // number of base units in one of it
};

constexpr std::int64_t kKilo = 1'000, kMega = 1'000'000, kGiga = 1'000'000'000, kTera = 1'000'000'000'000;
constexpr std::int64_t kKibi = 1 << 10, kMebi = 1 << 20, kGibi = 1 << 30, kTebi = std::int64_t{1} << 40;

constexpr Unit kSizes[] = {{"B", 1},      {"KiB", kKibi}, {"MiB", kMebi}, {"GiB", kGibi}, {"TiB", kTebi},
                           {"KB", kKilo}, {"kB", kKilo},  {"MB", kMega},  {"GB", kGiga},  {"TB", kTera}};
constexpr Unit kDurations[] = {{"ps", 1}, {"ns", kKilo}, {"us", kMega}, {"ms", kGiga}, {"s", kTera}};
constexpr Unit kFrequencies[] = {{"Hz", 1}, {"kHz", kKilo}, {"MHz", kMega}, {"GHz", kGiga}};

struct UnitKind {
  std::span<const Unit> units;
  std::string_view per;  // the text after the unit
  std::string_view name, example, whole;
};

UnitKind kind_of(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::kBytes:
      return {kSizes, "", "a size", "192 MiB", "bytes"};
    case QuantityKind::kRate:
      return {kSizes, "/s", "a rate", "1.6 TB/s", "bytes per second"};
    case QuantityKind::kDuration:
      return {kDurations, "", "a time", "1.1 us", "picoseconds"};
    default:
      return {kFrequencies, "", "a frequency", "1850 MHz", "Hz"};
  }
}

std::string unit_names(const UnitKind& kind) {
  std::string names;
  for (const Unit& unit : kind.units)
    names += fmt::format("{}{}{}", names.empty() ? "" : " ", unit.name, kind.per);
  return names;
}

// Splits `1.1 us` after the number.
std::pair<std::string_view, std::string_view> split_unit(std::string_view text) {
  const std::string_view number = leading_decimal(text);
  std::string_view unit = text.substr(number.size());
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  return {number, unit};
}

const Unit* find_unit(const UnitKind& kind, std::string_view name) {
  if (!name.ends_with(kind.per)) return nullptr;
  name.remove_suffix(kind.per.size());
  const auto it =
      std::find_if(kind.units.begin(), kind.units.end(), [&](const Unit& u) { return u.name == name; });
  return it == kind.units.end() ? nullptr : &*it;
}

}  // namespace

Parsed<std::int64_t> parse_quantity(std::string_view text, QuantityKind quantity) {
  const UnitKind kind = kind_of(quantity);
  const auto [number, unit_name] = split_unit(text);
  const auto expected = [quantity] { return expected_quantity(quantity); };
  if (number.empty()) return {0, fmt::format("'{}' is not {}, expected {}", text, kind.name, expected())};
  const Unit* const unit = find_unit(kind, unit_name);
  if (unit == nullptr) {
    const std::string what = unit_name.empty()
                                 ? fmt::format("'{}' has no unit", text)
                                 : fmt::format("'{}' is not a unit of {}", unit_name, kind.name);
    return {0, fmt::format("{}, expected one of {}", what, unit_names(kind))};
  }
  if (number.front() == '-') return {0, fmt::format("'{}' is negative, expected {}", text, expected())};
  std::int64_t value = 0;
  switch (scale_decimal(number, unit->base, kLargestQuantity, value)) {
    case Scaled::kExact:
      return {value, ""};
    case Scaled::kTooLarge:
      return {0, fmt::format("'{}' is too large, expected at most 10^18 {}", text, kind.whole)};
    default:
      return {0, fmt::format("'{}' is too fine, expected a whole number of {}", text, kind.whole)};
  }
}

Parsed<std::int64_t> parse_integer(std::string_view text, std::int64_t min, std::int64_t max) {
  const auto expected = [min, max] { return expected_integer(min, max); };
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return {0, fmt::format("'{}' is not an integer, expected {}", text, expected())};
  }
  if (digits.size() > 1 && digits.front() == '0') {
    return {0, fmt::format("'{}' has a leading zero, expected {}", text, expected())};
  }
  std::int64_t value = 0;
  const bool fits = decimal_integer(text, value);
  if (!fits && !text.starts_with('-'))
    return {0, fmt::format("{} is out of range, expected an integer from {} to {}", text, min, max)};
  if (!fits || value < min || value > max) {
    return {0, fmt::format("{} is out of range, expected {}", text, expected())};
  }
  return {value, ""};
}

Parsed<double> parse_number(std::string_view text, double min, double max) {
  const auto expected = [min, max] { return expected_number(min, max); };
  if (text.empty() || leading_decimal(text).size() != text.size()) {
    return {0, fmt::format("'{}' is not a number, expected {}", text, expected())};
  }
  double value = 0;
  if (!decimal_double(text, value) || value < min || value > max) {
    return {0, fmt::format("{} is out of range, expected {}", text, expected())};
  }
  return {value, ""};
}

Parsed<double> parse_per_cycle(std::string_view text, std::string_view unit) {
  const auto [number, unit_name] = split_unit(text);
  const auto expected = [unit] { return expected_per_cycle(unit); };
  if (number.empty())
    return {0, fmt::format("'{}' is not a number of {} per cycle, expected {}", text, unit, expected())};
  if (unit_name.empty()) return {0, fmt::format("'{}' has no unit, expected {}", text, expected())};
  if (unit_name != fmt::format("{}/cycle", unit)) {
    return {0, fmt::format("'{}' is not the unit, expected {}", unit_name, expected())};
  }
  double value = 0;
  if (!decimal_double(number, value) || value <= 0 || value > static_cast<double>(kLargestQuantity)) {
    return {0, fmt::format("'{}' is out of range, expected {}", text, expected())};
  }
  return {value, ""};
}

Parsed<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "false") return {text == "true", ""};
  return {false, fmt::format("'{}' is not a boolean, expected true or false", text)};
}

std::string expected_quantity(QuantityKind kind) {
  return fmt::format("{} such as '{}'", kind_of(kind).name, kind_of(kind).example);
}

namespace {

std::string pattern_of(QuantityKind kind) {
  const UnitKind expected = kind_of(kind);
  std::string units;
  for (const Unit& unit : expected.units) units += fmt::format("{}{}", units.empty() ? "" : "|", unit.name);
  return fmt::format("^{} *({}){}$", kNumberPattern, units, expected.per);
}

}  // namespace

// Written once: every read of a quantity records it.
std::string quantity_pattern(QuantityKind kind) {
  static const std::array<std::string, 4> kPatterns{
      pattern_of(QuantityKind::kBytes), pattern_of(QuantityKind::kRate), pattern_of(QuantityKind::kDuration),
      pattern_of(QuantityKind::kFrequency)};
  return kPatterns[static_cast<std::size_t>(kind)];
}

std::string expected_integer(std::int64_t min, std::int64_t max) {
  if (max == std::numeric_limits<std::int64_t>::max()) return fmt::format("an integer of at least {}", min);
  return fmt::format("an integer from {} to {}", min, max);
}

std::string expected_number(double min, double max) {
  constexpr double kMost = std::numeric_limits<double>::max();
  if (min <= -kMost && max >= kMost) return "a number";
  if (max >= kMost) return fmt::format("a number of at least {}", min);
  return fmt::format("a number from {} to {}", min, max);
}

std::string expected_per_cycle(std::string_view unit) {
  return fmt::format("a positive number such as '64 {}/cycle'", unit);
}

}  // namespace a3sim
