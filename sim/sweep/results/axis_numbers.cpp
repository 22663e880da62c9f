#include "sim/sweep/results/axis_numbers.h"

#include <algorithm>

#include "sim/core/config/decimal.h"
#include "sim/core/config/quantity.h"

namespace a3sim {
namespace {

struct NumberWithUnit {
  double number = 0;
  std::string unit;
};

std::optional<NumberWithUnit> number_with_unit(std::string_view text) {
  const std::string_view decimal = leading_decimal(text);
  NumberWithUnit result;
  if (decimal.empty() || !decimal_double(decimal, result.number)) return std::nullopt;
  std::string_view unit = text.substr(decimal.size());
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  result.unit = unit;
  // `8x2` and `3d torus` are names.
  if (!unit.empty() && unit.find_first_of("0123456789 ") != std::string_view::npos) return std::nullopt;
  return result;
}

// Reads all values as quantities of one kind, in the first one's unit.
std::optional<AxisNumbers> quantities_of(const std::vector<std::string>& values, const std::string& unit) {
  for (const QuantityKind kind :
       {QuantityKind::kBytes, QuantityKind::kRate, QuantityKind::kDuration, QuantityKind::kFrequency}) {
    const Parsed<std::int64_t> one = parse_quantity("1 " + unit, kind);
    if (!one.error.empty()) continue;
    AxisNumbers result{{}, unit};
    for (const std::string& value : values) {
      const Parsed<std::int64_t> parsed = parse_quantity(value, kind);
      if (!parsed.error.empty()) return std::nullopt;
      result.values.push_back(static_cast<double>(parsed.value) / static_cast<double>(one.value));
    }
    return result;
  }
  return std::nullopt;
}

bool all_different(std::vector<double> values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

}  // namespace

std::optional<AxisNumbers> numbers_of(const std::vector<std::string>& values) {
  if (values.empty()) return std::nullopt;
  std::optional<AxisNumbers> result = AxisNumbers{};
  for (const std::string& value : values) {
    const std::optional<NumberWithUnit> number = number_with_unit(value);
    if (!number) return std::nullopt;
    if (result->values.empty()) result->unit = number->unit;
    if (number->unit != result->unit) {
      result = quantities_of(values, result->unit);
      break;
    }
    result->values.push_back(number->number);
  }
  if (!result || !all_different(result->values)) return std::nullopt;
  return result;
}

}  // namespace a3sim
