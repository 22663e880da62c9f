#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"

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

// Reads the machine and the program in a file, to note what is wrong with them.
void read_parts(const Config& root);
// Returns the values with sources of a file of a machine or a program, and of the files that it includes. Throws InputError if
// it is wrong.
std::vector<SourcedValue> values_in(const std::filesystem::path& file);
bool has_range(const SourcedValue& value);

// Returns the values of the hardware and program files, and of the files that they include, that have a
// range with two ends. Each value is there once. Throws InputError if a file is wrong.
std::vector<Parameter> ranged_parameters(std::span<const std::filesystem::path> files);
// Does the same for an experiment's machine and program, as its files and overrides state them.
std::vector<Parameter> ranged_parameters(const Experiment& experiment);

// True if the positions may be taken together.
using Admissible = std::function<bool(std::span<const double>)>;
// Returns `to`, or else the last admissible position between `from`, which is admissible, and `to`. It is
// found to a millionth of the way.
std::vector<double> last_admissible(std::span<const double> from, std::vector<double> to,
                                    const Admissible& admissible);

// The ends of a value's range. If the configuration's reader refuses one, the last value before it that it accepts.
struct RangeEnds {
  std::string low, high;
};
RangeEnds ends_of(const Parameter& parameter, const Experiment& experiment);

// Returns "path=value", as `--set` takes it.
std::string set_text(const std::string& path, const std::string& value);

}  // namespace a3sim
