#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/study/calibration/fit.h"
#include "sim/study/calibration/predictor.h"
#include "traces/report/report.h"

namespace a3sim {

// Below this change of the best-moved point a parameter moves nothing. A combination of parameters, each in
// parts of its range and with a sum of squares of 1, moves nothing below this root of the sum of squares over
// all points. What moves nothing is not identified by the points.
inline constexpr double kLeastChange = 0.005;

struct NewValue {
  SourcedValue stated;  // what stands in the file now
  std::string value;
};

// What a fit of values of machines and programs to published points has given.
struct Calibration {
  struct Fitted {
    Parameter parameter;
    std::string value;    // four significant digits
    double position = 0;  // of `value`
    double reach = 0;     // the most that it moves a point, from end to end of its range
    // Whether it would leave its range if it could.
    bool at_low_end() const;
    bool at_high_end() const;
  };
  struct Fit {
    Predictor::Named point;
    double published = 0, before = 0, after = 0;  // in the point's unit
    bool held_out = false;                        // the values were not fitted to it
    // Predicted by the fit to all others of its half, and by the fit to the other half; 0 where nothing was
    // fitted.
    double left_out = 0, swapped = 0;
  };

  std::vector<std::filesystem::path> files;
  std::vector<Fitted> parameters;
  std::vector<Fit> points;
  // Sums of squared logarithms of predicted by published values, of those that are fitted to.
  double objective_before = 0, objective_after = 0;
  SingularValues identified;              // of the derivatives by positions
  std::vector<std::string> refused;       // what the points do not identify, and why
  std::vector<std::string> unidentified;  // the same: paths of values
  std::size_t evaluations = 0;

  std::vector<NewValue> new_values() const;
};

// Fits the values that these files of a machine and of programs mark `fitted: true`, each its own, to all points of these tables that are published for
// calibration; those that are held out test the fit, and the other way round. Does not write anything. The result
// does not depend on the scenario's threads. Throws InputError as fitted_parameters() does, and if there is no such
// point. Profiles are tables too (measured_table.h).
// `fit_only`: no point is left out, and the halves are not swapped. `left_alone`: paths of values that are not fitted.
Calibration calibrate(std::span<const std::filesystem::path> files, const std::vector<PublishedTable>& tables,
                      const Scenario& scenario, bool fit_only = false,
                      const std::vector<std::string>& left_alone = {});
// The same of those values that the points identify; `refused` and `unidentified` are the others. Throws InputError if
// there is none.
Calibration calibrate_what_is_identified(std::span<const std::filesystem::path> files,
                                         const std::vector<PublishedTable>& tables, const Scenario& scenario,
                                         bool fit_only);

// What was fitted, how well the points identify it, and what is left of each point's error.
Report calibration_report(const Calibration& calibration);

// The text of a file with those of the new values that stand in it: only their tokens change, comments and layout stay.
// Throws InputError if the file cannot be read, does not hold these values where they are said to stand, or
// would not be read back with the new ones.
std::string with_values(const std::filesystem::path& file, std::span<const NewValue> values);

}  // namespace a3sim
