#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"
#include "sim/published/comparison.h"
#include "sim/published/scenario.h"

namespace a3sim {

// A value of a machine or a program that has a range. A position in the range is 0 at its low end and 1 at
// its high end.
class Parameter {
 public:
  // Throws InputError if value and range are not quantities of one unit.
  explicit Parameter(const SourcedValue& stated);

  const std::string& path() const { return stated_.path; }  // hardware.memory.hbm_read
  const SourcedValue& stated() const { return stated_; }
  // True if value and both ends are whole numbers without a unit. Then only whole numbers make sense.
  bool whole() const { return kind_ == Kind::kWhole; }
  double nominal() const { return position_; }  // the position of the file's value

  // Returns the value at a position, exact to the base unit.
  std::string at(double position) const;
  // Returns the value as a person would write it: in the file's unit, with four significant digits, inside
  // the range.
  std::string rounded(double position) const;
  // Returns the position of a value in the range. Throws InputError if the text is no such value.
  double position_of(const std::string& text) const;

 private:
  enum class Kind : std::uint8_t { kWhole, kNumber, kPerCycle, kQuantity };
  std::optional<double> find_amount(const std::string& text) const;  // in base units
  double amount(const std::string& text) const;
  double amount_at(double position) const;

  SourcedValue stated_;
  Kind kind_ = Kind::kNumber;
  std::string unit_, base_unit_;  // the value's unit and its base unit: TB/s and B/s
  double base_ = 1;               // base units in one unit
  double low_ = 0, high_ = 0;     // in base units
  double position_ = 0;
};

// Returns the files whose values are fitted together: a hardware file and, from configs/programs/, those
// for its software stack that mark values of their own `fitted: true`. A program stands before those that
// it includes.
std::vector<std::filesystem::path> fitted_files(const std::filesystem::path& configs,
                                                const std::filesystem::path& hardware);

// Returns the values of the hardware and program files, and of the files that they include, that have a
// range with two ends. Each value is there once. Throws InputError if a file is wrong.
std::vector<Parameter> ranged_parameters(std::span<const std::filesystem::path> files);
// Does the same for an experiment's machine and program, as its files and overrides state them.
std::vector<Parameter> ranged_parameters(const Experiment& experiment);
// Returns the values that the files themselves mark `fitted: true`. Throws InputError if there is none, if
// a machine has more than six or a program more than two, and for a whole number, which cannot be fitted.
std::vector<Parameter> fitted_parameters(std::span<const std::filesystem::path> files);

// Returns the values of the parameters at the given positions, one position per parameter.
std::vector<Scenario::HardwareValue> hardware_values_at(std::span<const Parameter> parameters,
                                                        std::span<const double> positions);

// True if the readers of machines and programs accept the files with these values. They may refuse a
// combination even if each value is inside its range.
bool admissible(std::span<const std::filesystem::path> files,
                std::span<const Scenario::HardwareValue> values);

// A table, with the points of it that are to be predicted.
struct TableRequest {
  PublishedTable table;
  CaseSelection wanted;
};

// Predicts the points of published tables as a function of hardware values. Points with a variant are left
// out.
class Predictor {
 public:
  struct Named {
    std::string experiment;  // the table's name
    Comparison comparison;   // with the prediction from the unchanged files
  };

  // Predicts every table once. Throws InputError as predict() and compare() do.
  Predictor(std::vector<TableRequest> asked, const Scenario& scenario, std::vector<Parameter> parameters);

  const std::vector<Named>& points() const { return points_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // Returns the values of all points, in their order and units, with the parameters at these positions.
  // May be called by many threads at once. Throws RunError if the points are not the same ones.
  std::vector<double> at(std::span<const double> positions) const;
  // Returns the positions of the values in the files.
  std::vector<double> nominal() const;

 private:
  std::vector<TableRequest> asked_;
  Scenario scenario_;
  std::vector<Parameter> parameters_;
  std::vector<Named> points_;
};

}  // namespace a3sim
