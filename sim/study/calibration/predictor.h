#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/study/published/comparison.h"
#include "sim/study/published/scenario.h"

namespace a3sim {

// A value of a machine or a program with a range. Where it lies is told as a position: 0 at the low end, 1 at the high one.
class Parameter {
 public:
  // Throws InputError if value and range are no quantities of one unit.
  explicit Parameter(const SourcedValue& stated);

  const std::string& path() const { return stated_.path; }  // hardware.memory.hbm_read
  const SourcedValue& stated() const { return stated_; }
  // Whether only whole numbers make sense: value and both ends are written as such, without a unit.
  bool whole() const { return kind_ == Kind::kWhole; }
  double nominal() const { return position_; }  // the position of what the file says

  // The value at a position, exact to the base unit: what to state instead of the file's.
  std::string at(double position) const;
  // The same as a person would write it: in the file's unit, with four significant digits, inside the range.
  std::string rounded(double position) const;
  // The position of a value in the range. Throws InputError for what is no such value.
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

// The files whose values are fitted together: a hardware file, and of configs/programs/ those for machines of its stack
// that mark values of their own `fitted: true`. A program stands before those that it includes.
std::vector<std::filesystem::path> fitted_files(const std::filesystem::path& configs,
                                                const std::filesystem::path& hardware);

// Those of the values of hardware and program files, own and included, that have a range with two ends, each once.
// Throws InputError if a file is wrong.
std::vector<Parameter> ranged_parameters(std::span<const std::filesystem::path> files);
// Those that the files themselves mark `fitted: true`: at most six of a machine, and two of a program. Throws InputError
// for more, for none in any file, and for a whole number, which cannot be fitted.
std::vector<Parameter> fitted_parameters(std::span<const std::filesystem::path> files);

// The hardware values of parameters at positions, one each.
std::vector<Scenario::HardwareValue> hardware_values_at(std::span<const Parameter> parameters,
                                                        std::span<const double> positions);

// Whether the readers of machines and programs take the files with these values: they may refuse combinations of values
// that are each inside their ranges.
bool admissible(std::span<const std::filesystem::path> files,
                std::span<const Scenario::HardwareValue> values);

// A table, and which of its points are predicted.
struct Asked {
  PublishedTable table;
  Wanted wanted;
};

// The points of published tables as a function of hardware values. Points with a variant are left out.
class Predictor {
 public:
  struct Named {
    std::string experiment;  // the table's name
    Comparison comparison;   // with the value that the files as they stand give
  };

  // Predicts every table once. Throws InputError as predict() and compare() do.
  Predictor(std::vector<Asked> asked, const Scenario& scenario, std::vector<Parameter> parameters);

  const std::vector<Named>& points() const { return points_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // The values of all points, in their order and units, with the parameters at these positions. May be
  // called by many threads at once. Throws RunError if the points are not the same ones.
  std::vector<double> at(std::span<const double> positions) const;
  // The positions of what the files say.
  std::vector<double> nominal() const;

 private:
  std::vector<Asked> asked_;
  Scenario scenario_;
  std::vector<Parameter> parameters_;
  std::vector<Named> points_;
};

}  // namespace a3sim
