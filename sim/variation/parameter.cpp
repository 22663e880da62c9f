#include "sim/variation/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/core/config/decimal.h"
#include "sim/core/config/quantity.h"
#include "sim/core/error.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"

namespace a3sim {
namespace {

struct BaseUnit {
  QuantityKind kind;
  std::string_view name;
};
constexpr std::array kBaseUnits{BaseUnit{QuantityKind::kBytes, "B"}, BaseUnit{QuantityKind::kRate, "B/s"},
                                BaseUnit{QuantityKind::kDuration, "ps"},
                                BaseUnit{QuantityKind::kFrequency, "Hz"}};

std::string unit_in(const std::string& text) {
  std::string_view unit = text;
  unit.remove_prefix(leading_decimal(text).size());
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  return std::string(unit);
}

bool is_whole(const std::string& text) {
  std::int64_t value = 0;
  return decimal_integer(text, value);
}

// Returns an end of a value's range, or the last value before it that the configuration's reader accepts.
std::string end_of(const Parameter& parameter, bool high, const Experiment& experiment) {
  const auto takes = [&](std::span<const double> position) {
    const std::string setting = set_text(parameter.path(), parameter.at(position.front()));
    try {
      (void)experiment.with(std::span(&setting, 1));
    } catch (const InputError&) {
      return false;
    }
    return true;
  };
  const double from[] = {parameter.nominal()};
  const double to = high ? 1 : 0;
  const double end = last_admissible(from, {to}, takes).front();
  if (end == to) return high ? parameter.stated().high : parameter.stated().low;
  return parameter.at(end);
}

}  // namespace

std::string set_text(const std::string& path, const std::string& value) { return path + '=' + value; }

Parameter::Parameter(const SourcedValue& stated) : stated_(stated), unit_(unit_in(stated.value)) {
  const auto kind = std::find_if(kBaseUnits.begin(), kBaseUnits.end(), [&](const BaseUnit& unit) {
    return parse_quantity(stated.value, unit.kind).error.empty();
  });
  if (kind != kBaseUnits.end()) {
    kind_ = Kind::kQuantity;
    base_unit_ = kind->name;
    base_ = static_cast<double>(parse_quantity("1 " + unit_, kind->kind).value);
  } else if (unit_.ends_with("/cycle")) {
    kind_ = Kind::kPerCycle;
    base_unit_ = unit_;
  } else if (is_whole(stated.value) && is_whole(stated.low) && is_whole(stated.high)) {
    kind_ = Kind::kWhole;
  }
  low_ = amount(stated.low);
  high_ = amount(stated.high);
  position_ = position_of(stated.value);
}

std::optional<double> Parameter::find_amount(const std::string& text) const {
  if (kind_ == Kind::kQuantity) {
    for (const BaseUnit& unit : kBaseUnits) {
      const Parsed<std::int64_t> parsed = parse_quantity(text, unit.kind);
      if (unit.name == base_unit_ && parsed.error.empty()) return static_cast<double>(parsed.value);
    }
    return std::nullopt;
  }
  double value = 0;
  if (unit_in(text) != unit_ || !decimal_double(leading_decimal(text), value)) return std::nullopt;
  return value;
}

double Parameter::amount(const std::string& text) const {
  if (const std::optional<double> amount = find_amount(text)) return *amount;
  throw InputError(fmt::format("{}: {}: '{}' cannot be compared with '{}'", stated_.mark.text(), stated_.path,
                               text, stated_.value));
}

double Parameter::position_of(const std::string& text) const {
  return (amount(text) - low_) / (high_ - low_);
}

double Parameter::amount_at(double position) const {
  return low_ + std::clamp(position, 0.0, 1.0) * (high_ - low_);
}

std::string Parameter::at(double position) const {
  const double amount = amount_at(position);
  if (kind_ == Kind::kWhole) {
    // Each number gets an equal part of the range, both ends included.
    const double above = std::floor(std::clamp(position, 0.0, 1.0) * (high_ - low_ + 1));
    return fmt::format("{:.0f}", std::min(low_ + above, high_));
  }
  if (kind_ == Kind::kQuantity) return fmt::format("{:.0f} {}", std::round(amount), base_unit_);
  return unit_.empty() ? fmt::format("{}", amount) : fmt::format("{} {}", amount, unit_);
}

std::string Parameter::rounded(double position) const {
  constexpr int kDigits = 4;
  const double in_unit = amount_at(position) / base_;
  const int magnitude = in_unit == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(in_unit))));
  for (int decimals = std::max(0, kDigits - 1 - magnitude); decimals >= 0; --decimals) {
    std::string text = fmt::format("{:.{}f}", in_unit, decimals);
    if (decimals > 0) text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    if (!unit_.empty()) text += ' ' + unit_;
    if (!find_amount(text)) continue;  // finer than the base unit
    const double where = position_of(text);
    if (where < 0) return stated_.low;
    return where > 1 ? stated_.high : text;
  }
  return at(position);
}

void read_parts(const Config& root) {
  if (root.has("hardware")) read_hardware(root.map("hardware"));
  if (root.has("program")) read_program(root.map("program"));
}

bool has_range(const SourcedValue& value) { return !value.low.empty() && value.low != value.high; }

std::vector<SourcedValue> values_in(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  if (diagnostics.empty() && !root.has("hardware") && !root.has("program"))
    throw InputError(file.string() +
                     ": neither a machine nor a program, expected the block hardware or program");
  read_parts(root);
  diagnostics.throw_if_any();
  return sourced_values(root);
}

std::vector<Parameter> ranged_parameters(std::span<const std::filesystem::path> files) {
  std::vector<Parameter> parameters;
  for (const std::filesystem::path& file : files) {
    for (const SourcedValue& value : values_in(file)) {
      const bool known = std::ranges::any_of(parameters, [&](const Parameter& other) {
        return other.stated().mark.text() == value.mark.text();
      });
      if (has_range(value) && !known) parameters.emplace_back(value);
    }
  }
  return parameters;
}

std::vector<Parameter> ranged_parameters(const Experiment& experiment) {
  Diagnostics diagnostics;
  const Config root = Config::from(*experiment.tree, {}, diagnostics);
  read_parts(root);
  diagnostics.throw_if_any();
  std::vector<Parameter> parameters;
  for (const SourcedValue& value : sourced_values(root)) {
    if (has_range(value)) parameters.emplace_back(value);
  }
  return parameters;
}

std::vector<double> last_admissible(std::span<const double> from, std::vector<double> to,
                                    const Admissible& admissible) {
  constexpr int kHalvings = 20;
  if (admissible(to)) return to;
  std::vector<double> positions(from.begin(), from.end());
  double inside = 0, outside = 1;  // shares of the way
  const auto step = [&](double share) {
    for (std::size_t p = 0; p < to.size(); ++p) positions[p] = from[p] + share * (to[p] - from[p]);
    return admissible(positions);
  };
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (inside + outside) / 2;
    (step(middle) ? inside : outside) = middle;
  }
  step(inside);
  return positions;
}

RangeEnds ends_of(const Parameter& parameter, const Experiment& experiment) {
  return {end_of(parameter, false, experiment), end_of(parameter, true, experiment)};
}

}  // namespace a3sim
