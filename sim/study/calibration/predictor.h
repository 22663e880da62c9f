#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/study/calibration/parameter.h"
#include "sim/study/published/comparison.h"

namespace a3sim {

// Which points of one experiment are predicted.
struct Asked {
  std::string experiment;
  std::optional<std::vector<nlohmann::ordered_json>> cases;  // none: all
};

// The points of reproductions as a function of hardware values. Points with a variant are left out.
class Predictor {
 public:
  struct Named {
    std::string experiment;
    Comparison comparison;  // with the value that the files as they stand give
  };

  // Runs every experiment once. Throws InputError as reproductions and compare() do.
  Predictor(std::vector<Asked> asked, const Setting& setting, std::vector<Parameter> parameters);

  const std::vector<Named>& points() const { return points_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // The values of all points, in their order and units, with the parameters at these positions. May be
  // called by many threads at once. Throws RunError if the points are not the same ones.
  std::vector<double> at(std::span<const double> positions) const;
  // The positions of what the files say.
  std::vector<double> nominal() const;

 private:
  Setting setting_for(const Asked& asked) const;

  std::vector<Asked> asked_;
  Setting setting_;
  std::vector<Parameter> parameters_;
  std::vector<Named> points_;
};

}  // namespace a3sim
