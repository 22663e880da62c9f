#include "sim/published/fit/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostOfMachine = 6, kMostOfProgram = 2;

bool is_own(const SourcedValue& value, const std::filesystem::path& file) {
  return value.mark.file == file.string();
}

// Returns the values that one file marks itself. Sets `elsewhere` to an included file that marks some.
std::vector<Parameter> fitted_in(const std::filesystem::path& file, std::string& elsewhere) {
  std::vector<Parameter> fitted;
  bool machine = false;
  for (const SourcedValue& value : values_in(file)) {
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
    return std::ranges::any_of(values_in(file), [&](const auto& value) { return !is_own(value, file); });
  };
  std::ranges::stable_partition(programs, includes);
  for (const std::filesystem::path& file : programs) {
    const bool runs = Config::load(file, {}, diagnostics).map("program").text("stack", stack) == stack;
    if (runs && std::ranges::any_of(values_in(file), [&](const SourcedValue& value) {
          return value.fitted && is_own(value, file);
        }))
      files.push_back(file);
  }
  return files;
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
