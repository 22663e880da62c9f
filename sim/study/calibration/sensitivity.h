#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace a3sim {

// Values as a function of positions, each from 0 to 1.
using Model = std::function<std::vector<double>(std::span<const double>)>;
// Whether a position may be taken.
using Admissible = std::function<bool(std::span<const double>)>;

// `to`, or the last admissible position on the way there from an admissible one, to a millionth of the way.
std::vector<double> last_admissible(std::span<const double> from, std::vector<double> to,
                                    const Admissible& admissible);

struct SensitivityOptions {
  std::uint32_t draws = 100;
  std::uint64_t seed = 1;
  bool ends = true;      // both ends of every parameter too
  unsigned threads = 1;  // the result does not depend on it
};

struct Sensitivity {
  struct PointRange {
    double nominal = 0;
    // What 5 % and 95 % of the draws stay below. Values at an end of their range move a point to one side only:
    // where all draws lie there, its bar begins at the nominal value.
    double low = 0, high = 0;
    // By parameter: with it alone at its low and its high end. Empty unless asked for.
    std::vector<std::array<double, 2>> ends;
    // The parameters that move it at all, the one that moves it most first; of equals the first.
    std::vector<std::size_t> movers() const;
  };
  std::vector<PointRange> values;
};

// Both ends of every parameter, one at a time (if asked for), and draws of all together around the nominal
// positions: triangular over each range, its peak where the parameter is (what is used where a lowest, a
// highest and a likely value are all that is known: Johnson, The Statistician 46, 1997). An end that is not
// admissible is the last admissible value before it; draws are taken from what is admissible. The model is
// called by many threads at once. Throws RunError if next to nothing is admissible.
Sensitivity sensitivity(const Model& model, const Admissible& admissible, std::span<const double> nominal,
                        const SensitivityOptions& options);

}  // namespace a3sim
