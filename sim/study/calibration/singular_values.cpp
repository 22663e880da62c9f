#include "sim/study/calibration/singular_values.h"

#include <Eigen/SVD>

namespace a3sim {

SingularValues singular_values(const ColumnList& columns) {
  const auto parameters = static_cast<Eigen::Index>(columns.size());
  const auto points = static_cast<Eigen::Index>(columns.front().size());
  Eigen::MatrixXd matrix(points, parameters);
  for (Eigen::Index p = 0; p < parameters; ++p)
    matrix.col(p) = Eigen::Map<const Eigen::VectorXd>(columns[static_cast<std::size_t>(p)].data(), points);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeFullV);
  SingularValues result;
  for (Eigen::Index d = 0; d < parameters; ++d) {
    Eigen::VectorXd direction = svd.matrixV().col(d);
    Eigen::Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction[largest] < 0) direction = -direction;
    // With fewer points than parameters, the last directions move nothing.
    result.values.push_back(d < svd.singularValues().size() ? svd.singularValues()[d] : 0);
    result.directions.emplace_back(direction.begin(), direction.end());
  }
  return result;
}

}  // namespace a3sim
