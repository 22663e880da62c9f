#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/published/comparison.h"
#include "sim/published/scenario.h"
#include "sim/variation/parameter.h"

namespace a3sim {

// Returns the files whose values are fitted together: a hardware file and, from configs/programs/, those
// for its software stack that mark values of their own `fitted: true`. A program stands before those that
// it includes.
std::vector<std::filesystem::path> fitted_files(const std::filesystem::path& configs,
                                                const std::filesystem::path& hardware);

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
