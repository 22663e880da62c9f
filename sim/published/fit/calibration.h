#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/published/fit/fit.h"
#include "sim/published/fit/predictor.h"
#include "traces/report/report.h"

namespace a3sim {

// A parameter is not identified if it changes no point by this share of the point's best value. A
// combination of parameters, with coefficients in parts of their ranges whose squares sum to 1, is not
// identified if the root of its sum of squared changes over all points is below this value.
inline constexpr double kLeastChange = 0.005;

struct NewValue {
  SourcedValue stated;  // what the file says now
  std::string value;
};

// The result of fitting values of machines and programs to published points.
struct Calibration {
  struct Fitted {
    Parameter parameter;
    std::string value;    // four significant digits
    double position = 0;  // position of `value`
    double reach = 0;     // largest change of a point over the parameter's range
    // True if the value lies at that end of its range.
    bool at_low_end() const;
    bool at_high_end() const;
  };
  struct Fit {
    Predictor::Named point;
    double published = 0, before = 0, after = 0;  // in the point's unit
    bool held_out = false;                        // the values were not fitted to it
    // Predicted by the fit to all other points of its half, and by the fit to the other half. 0 if nothing
    // was fitted.
    double left_out = 0, swapped = 0;
  };

  std::vector<std::filesystem::path> files;
  std::vector<Fitted> parameters;
  std::vector<Fit> points;
  // Sums of squared logarithms of predicted over published values, over the points that are fitted to.
  double objective_before = 0, objective_after = 0;
  SingularValues identified;              // of the derivatives by positions
  std::vector<std::string> refused;       // what the points do not identify, and why
  std::vector<std::string> unidentified;  // paths of the same values
  std::size_t evaluations = 0;

  std::vector<NewValue> new_values() const;
};

// Fits the values that the files of a machine and of programs mark `fitted: true` to all points of the
// tables that are published for calibration. Held-out points test this fit; a fit to them is tested by the
// others. Writes no file. The result does not depend on the scenario's threads. Profiles are tables too
// (measured_table.h).
// `fit_only`: leaves no point out and does not swap the halves. `left_alone`: paths of values that are not
// fitted.
// Throws InputError as fitted_parameters() does, and if there is no such point.
Calibration calibrate(std::span<const std::filesystem::path> files, const std::vector<PublishedTable>& tables,
                      const Scenario& scenario, bool fit_only = false,
                      const std::vector<std::string>& left_alone = {});
// Fits only the values that the points identify; `refused` and `unidentified` list the others. Throws
// InputError if none is left.
Calibration calibrate_what_is_identified(std::span<const std::filesystem::path> files,
                                         const std::vector<PublishedTable>& tables, const Scenario& scenario,
                                         bool fit_only);

// Reports what was fitted, how well the points identify it, and the error that remains at each point.
Report calibration_report(const Calibration& calibration);

// Returns the text of the file with the new values that stand in it. Comments and layout stay as they are.
// Throws InputError if the file cannot be read, if a value is not where it is said to stand, or if the new
// text could not be read back.
std::string with_values(const std::filesystem::path& file, std::span<const NewValue> values);

}  // namespace a3sim
