#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/study/calibration/parameter.h"
#include "sim/study/published/comparison.h"

namespace a3sim {

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
