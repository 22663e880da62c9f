#pragma once

#include <vector>

namespace a3sim {

// Columns of equal length.
using ColumnList = std::vector<std::vector<double>>;

struct SingularValues {
  std::vector<double> values;  // of each direction, the largest first
  ColumnList directions;       // unit vectors, as long as there are columns, orthogonal to each other
};

// Singular values and right singular vectors: how long each combination of the columns with a sum of squares
// of 1 is. A direction's largest component is positive.
SingularValues singular_values(const ColumnList& columns);

}  // namespace a3sim
