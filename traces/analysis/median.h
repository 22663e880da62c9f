#pragma once

#include <vector>

namespace a3sim {

// The middle one of numbers, the mean of the two in the middle; of none: 0.
double median(std::vector<double> numbers);

// A table of numbers as a common part, one of each row, one of each column, and a rest (Tukey, 1977): medians are taken
// off rows and columns in turn. Cells may be missing.
struct MedianPolish {
  double overall = 0;
  std::vector<double> rows, columns;
  std::vector<std::vector<double>> rest;  // NaN where there is no cell
};

// `cells`: by row and column, NaN for none.
MedianPolish median_polish(std::vector<std::vector<double>> cells);

}  // namespace a3sim
