#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

// Replaces each row by its prefix sums (offsets from counts) on the scalar unit, which stores lines of 16 of
// its elements.
class Scan final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{218}; }
  std::uint32_t num_inputs() const override { return 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = same_rows(inputs[0], outputs[0]); !why.empty()) return why;
    return same_width(inputs[0], outputs[0]);
  }

 private:
  VectorOps per_element() const override { return {}; }
  std::uint32_t lines_per_row(std::uint32_t cols) const override { return (cols + 15) / 16; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    float sum = 0;
    for (std::size_t i = 0; i < inputs[0].size(); ++i) outputs[0][i] = sum += inputs[0][i];
  }
};

A3SIM_REGISTER(Operator, "Scan", "prefix sums of each row", Scan);

}  // namespace
}  // namespace a3sim
