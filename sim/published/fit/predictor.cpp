#include "sim/published/fit/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "sim/core/config/decimal.h"
#include "sim/core/config/quantity.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostOfMachine = 6, kMostOfProgram = 2;

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

// Reads the machine and the program in the file.
void read_parts(const Config& root) {
  if (root.has("hardware")) read_hardware(root.map("hardware"));
  if (root.has("program")) read_program(root.map("program"));
}

std::vector<SourcedValue> values_of(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  if (diagnostics.empty() && !root.has("hardware") && !root.has("program"))
    throw InputError(file.string() +
                     ": neither a machine nor a program, expected the block hardware or program");
  read_parts(root);
  diagnostics.throw_if_any();
  return sourced_values(root);
}

bool has_range(const SourcedValue& value) { return !value.low.empty() && value.low != value.high; }

bool is_own(const SourcedValue& value, const std::filesystem::path& file) {
  return value.mark.file == file.string();
}

// Returns the values that one file marks itself. Sets `elsewhere` to an included file that marks some.
std::vector<Parameter> fitted_in(const std::filesystem::path& file, std::string& elsewhere) {
  std::vector<Parameter> fitted;
  bool machine = false;
  for (const SourcedValue& value : values_of(file)) {
    if (!value.fitted || !has_range(value)) continue;
    if (!is_own(value, file)) {
      elsewhere = value.mark.file;
      continue;
    }
    machine = machine || value.path.starts_with("hardware.");
    fitted.emplace_back(value);
  }
  const std::size_t most = machine ? kMostOfMachine : kMostOfProgram;
  if (fitted.size() > most) {
    throw InputError(fmt::format("{}: {} values are marked 'fitted: true', expected at most {}",
                                 file.string(), fitted.size(), most));
  }
  // Sorts by place in the file, whatever it includes.
  std::sort(fitted.begin(), fitted.end(), [](const Parameter& a, const Parameter& b) {
    const Mark &first = a.stated().mark, &second = b.stated().mark;
    return std::tie(first.line, first.column) < std::tie(second.line, second.column);
  });
  return fitted;
}

std::vector<Point> points_of(const TableRequest& asked, const Scenario& scenario) {
  std::vector<Point> points = predict(asked.table, scenario, asked.wanted).points;
  std::erase_if(points, [&](const Point& point) {
    return !point.variant.empty() || !asked.wanted.has(point.coordinates);
  });
  return points;
}

}  // namespace

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

std::vector<std::filesystem::path> fitted_files(const std::filesystem::path& configs,
                                                const std::filesystem::path& hardware) {
  std::vector<std::filesystem::path> files{hardware}, programs;
  Diagnostics diagnostics;
  const std::string stack = Config::load(hardware, {}, diagnostics).map("hardware").text("stack", "");
  if (std::filesystem::is_directory(configs / "programs")) {
    for (const auto& entry : std::filesystem::directory_iterator(configs / "programs"))
      programs.push_back(entry.path());
  }
  std::ranges::sort(programs);
  const auto includes = [](const std::filesystem::path& file) {
    return std::ranges::any_of(values_of(file), [&](const auto& value) { return !is_own(value, file); });
  };
  std::ranges::stable_partition(programs, includes);
  for (const std::filesystem::path& file : programs) {
    const bool runs = Config::load(file, {}, diagnostics).map("program").text("stack", stack) == stack;
    if (runs && std::ranges::any_of(values_of(file), [&](const SourcedValue& value) {
          return value.fitted && is_own(value, file);
        }))
      files.push_back(file);
  }
  return files;
}

std::vector<Parameter> ranged_parameters(std::span<const std::filesystem::path> files) {
  std::vector<Parameter> parameters;
  for (const std::filesystem::path& file : files) {
    for (const SourcedValue& value : values_of(file)) {
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

std::vector<Parameter> fitted_parameters(std::span<const std::filesystem::path> files) {
  std::vector<Parameter> fitted;
  std::string elsewhere;
  for (const std::filesystem::path& file : files) {
    for (Parameter& parameter : fitted_in(file, elsewhere)) fitted.push_back(std::move(parameter));
  }
  if (fitted.empty()) {
    throw InputError(fmt::format("{}: no value of its own is marked 'fitted: true'{}", files.front().string(),
                                 elsewhere.empty() ? "" : "; " + elsewhere + " has some"));
  }
  for (const Parameter& parameter : fitted) {
    if (!parameter.whole()) continue;
    throw InputError(fmt::format("{}: {}: a whole number, which cannot be fitted",
                                 parameter.stated().mark.text(), parameter.path()));
  }
  return fitted;
}

std::vector<Scenario::HardwareValue> hardware_values_at(std::span<const Parameter> parameters,
                                                        std::span<const double> positions) {
  std::vector<Scenario::HardwareValue> values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    values.push_back({parameter.path(), parameter.at(positions[i]), parameter.stated().mark.file});
  }
  return values;
}

bool admissible(std::span<const std::filesystem::path> files,
                std::span<const Scenario::HardwareValue> values) {
  Diagnostics diagnostics;
  for (const std::filesystem::path& file : files) {
    std::vector<std::string> overrides;
    const Config as_is = Config::load(file, {}, diagnostics);
    for (const Scenario::HardwareValue& value : values) {
      if (as_is.has(value.path.substr(0, value.path.find('.'))))
        overrides.push_back(value.path + '=' + value.value);
    }
    read_parts(Config::load(file, overrides, diagnostics));
  }
  return diagnostics.empty();
}

Predictor::Predictor(std::vector<TableRequest> asked, const Scenario& scenario,
                     std::vector<Parameter> parameters)
    : asked_(std::move(asked)), scenario_(scenario), parameters_(std::move(parameters)) {
  for (TableRequest& one : asked_) {
    one.wanted.variants = false;
    for (Comparison& comparison : compare(one.table, points_of(one, scenario_), one.wanted))
      points_.push_back({one.table.name, std::move(comparison)});
  }
}

std::vector<double> Predictor::at(std::span<const double> positions) const {
  std::vector<double> values;
  Scenario scenario = scenario_;
  scenario.hardware_values = hardware_values_at(parameters_, positions);
  for (const TableRequest& one : asked_) {
    for (const Point& point : points_of(one, scenario)) {
      const Point* known =
          values.size() < points_.size() ? &points_[values.size()].comparison.point : nullptr;
      if (!known || known->coordinates != point.coordinates || known->metric != point.metric ||
          known->unit != point.unit) {
        throw RunError(fmt::format("{} {}: a point that is there for some hardware values only",
                                   one.table.name, point.coordinates.dump()));
      }
      values.push_back(point.value);
    }
  }
  if (values.size() != points_.size()) throw RunError("a point is there for some hardware values only");
  return values;
}

std::vector<double> Predictor::nominal() const {
  std::vector<double> positions;
  for (const Parameter& parameter : parameters_) positions.push_back(parameter.nominal());
  return positions;
}

}  // namespace a3sim
