#include <fmt/format.h>

#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

// Reads a whole row and keeps its first element only, as measurements of read bandwidth do.
class Load final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{205}; }
  std::uint32_t num_inputs() const override { return 1; }
  std::vector<std::uint32_t> row_widths(std::uint32_t cols) const override { return {cols, 1}; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = same_rows(inputs[0], outputs[0]); !why.empty()) return why;
    if (outputs[0].cols == 1) return {};
    return fmt::format("'{}' must have one column, not {}", outputs[0].name, outputs[0].cols);
  }

 private:
  VectorOps per_element() const override { return {}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    outputs[0][0] = inputs[0][0];
  }
};

A3SIM_REGISTER(Operator, "Load", "reads rows and keeps the first element of each", Load);

}  // namespace
}  // namespace a3sim
