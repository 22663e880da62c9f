#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/variation/parameter.h"

namespace a3sim {

// Returns values at given positions, each position from 0 to 1.
using Model = std::function<std::vector<double>(std::span<const double>)>;

struct SensitivityOptions {
  std::uint32_t draws = 100;
  std::uint64_t seed = 1;
  bool ends = true;      // also run both ends of every parameter
  unsigned threads = 1;  // the result does not depend on it
};

struct Sensitivity {
  struct PointRange {
    double nominal = 0;
    // 5 % of the draws lie below `low`, 95 % below `high`. A parameter at an end of its range moves a point
    // to one side only: if all draws lie on that side, the bar begins at the nominal value.
    double low = 0, high = 0;
    // One entry per parameter: the value with this parameter alone at its low and at its high end. Empty
    // unless asked for.
    std::vector<std::array<double, 2>> ends;
    // Returns the parameters that move the value at all, those that move it most first.
    std::vector<std::size_t> movers() const;
  };
  std::vector<PointRange> values;
};

// Draws all parameters at random around their nominal positions and, if asked for, runs both ends of each
// alone. Draws are triangular over the range with the peak at the nominal position, as is usual if only
// lowest, highest and likely values are known (Johnson, The Statistician 46, 1997). An inadmissible end is
// replaced by the last admissible position before it; inadmissible draws are repeated. Many threads call
// the model at once. Throws RunError if almost no draw is admissible.
Sensitivity sensitivity(const Model& model, const Admissible& admissible, std::span<const double> nominal,
                        const SensitivityOptions& options);

}  // namespace a3sim
